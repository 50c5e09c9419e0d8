"""Layers of the transformer: attention, feed-forward, normalisation."""

import dataclasses

import jax
import jax.numpy as jnp


@dataclasses.dataclass(frozen=True)
class Config:
    vocabulary: int = 32000
    length: int = 2048
    width: int = 4096
    heads: int = 32
    hidden: int = 14336
    depth: int = 4


def init_model(key, config=Config()):
    def normal(k, *shape):
        return 0.02 * jax.random.normal(k, shape, jnp.bfloat16)

    keys = jax.random.split(key, 6)
    return {
        "embed": normal(keys[0], config.vocabulary, config.width),
        "qkv": normal(keys[1], config.depth, config.width, 3 * config.width),
        "out": normal(keys[2], config.depth, config.width, config.width),
        "up": normal(keys[3], config.depth, config.width, config.hidden),
        "down": normal(keys[4], config.depth, config.hidden, config.width),
        "norm": jnp.ones((config.depth, 2, config.width), jnp.bfloat16),
    }


def rms_norm(scale, x):
    x32 = x.astype(jnp.float32)
    variance = jnp.mean(x32 * x32, axis=-1, keepdims=True)
    return (x32 * jax.lax.rsqrt(variance + 1e-6)).astype(x.dtype) * scale


def attention(layer, config, x):
    batch, length, width = x.shape
    qkv = x @ layer["qkv"]
    q, k, v = jnp.split(qkv.reshape(batch, length, config.heads, -1), 3, axis=-1)
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / jnp.sqrt(q.shape[-1])
    mask = jnp.tril(jnp.ones((length, length), bool))
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e30).astype(jnp.float32))
    mixed = jnp.einsum("bhqk,bkhd->bqhd", weights.astype(x.dtype), v)
    return mixed.reshape(batch, length, width) @ layer["out"]


def feed_forward(layer, x):
    up = x @ layer["up"]
    return jax.nn.gelu(up) @ layer["down"]


def block(config, x, layer):
    with jax.named_scope("attention"):
        x = x + attention(layer, config, rms_norm(layer["norm"][0], x))
    with jax.named_scope("mlp"):
        x = x + feed_forward(layer, rms_norm(layer["norm"][1], x))
    return x, None


def forward(params, config, tokens):
    with jax.named_scope("embed"):
        x = params["embed"][tokens]
    layers = {k: v for k, v in params.items() if k != "embed"}
    with jax.named_scope("layers"):
        x, _ = jax.lax.scan(lambda x, layer: block(config, x, layer), x, layers)
    with jax.named_scope("logits"):
        return x @ params["embed"].T
