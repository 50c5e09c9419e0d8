"""Train a decoder-only transformer with fully sharded data parallelism."""

import time

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from layers import Config, forward, init_model

LEARNING_RATE = 3e-4
BETA1, BETA2, EPSILON = 0.9, 0.95, 1e-8


def cross_entropy(logits, targets):
    logz = jax.nn.logsumexp(logits, axis=-1)
    picked = jnp.take_along_axis(logits, targets[..., None], axis=-1)[..., 0]
    return jnp.mean(logz - picked)


def loss_fn(params, config, tokens):
    with jax.named_scope("forward"):
        logits = forward(params, config, tokens[:, :-1])
    with jax.named_scope("loss"):
        return cross_entropy(logits.astype(jnp.float32), tokens[:, 1:])


def adam(params, grads, state):
    def update(p, g, m, v):
        m = BETA1 * m + (1 - BETA1) * g
        v = BETA2 * v + (1 - BETA2) * g * g
        return p - LEARNING_RATE * m / (jnp.sqrt(v) + EPSILON), m, v

    return jax.tree.map(update, params, grads, state["m"], state["v"])


def clip(grads, limit=1.0):
    norm = jnp.sqrt(sum(jnp.sum(g.astype(jnp.float32) ** 2) for g in jax.tree.leaves(grads)))
    return jax.tree.map(lambda g: g * jnp.minimum(1.0, limit / norm), grads), norm


def train_step(params, state, config, tokens):
    loss, grads = jax.value_and_grad(loss_fn)(params, config, tokens)
    with jax.named_scope("clip"):
        grads, norm = clip(grads)
    with jax.named_scope("adam"):
        params, state = adam(params, grads, state)
    return params, state, {"loss": loss, "norm": norm}


def synthetic_tokens(key, config, batch):
    return jax.random.randint(key, (batch, config.length + 1), 0, config.vocabulary)


def main(steps=8):
    config = Config()
    mesh = Mesh(jax.devices(), ("fsdp",))
    sharded = NamedSharding(mesh, P("fsdp"))
    key = jax.random.key(0)
    params = jax.jit(init_model, out_shardings=sharded)(key)
    step_fn = jax.jit(train_step, donate_argnums=(0, 1))
    for step in range(steps):
        key, sub = jax.random.split(key)
        tokens = synthetic_tokens(sub, config, batch=32)
        start = time.perf_counter()
        params, state, metrics = step_fn(params, state, config, tokens)
        print(step, metrics["loss"], time.perf_counter() - start)


if __name__ == "__main__":
    main()
