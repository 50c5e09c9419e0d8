"""Train a small variational autoencoder on MNIST-sized images."""

import functools
import time

import jax
import jax.numpy as jnp

LATENT = 16
HIDDEN = 512
BATCH = 256
STEP_SIZE = 1e-3


def init_params(key):
    shapes = {
        "enc_hidden": (784, HIDDEN),
        "enc_mean": (HIDDEN, LATENT),
        "enc_logvar": (HIDDEN, LATENT),
        "dec_hidden": (LATENT, HIDDEN),
        "dec_out": (HIDDEN, 784),
    }
    params = {}
    for name, shape in shapes.items():
        key, sub = jax.random.split(key)
        scale = jnp.sqrt(2.0 / shape[0])
        params[name] = {
            "w": scale * jax.random.normal(sub, shape),
            "b": jnp.zeros(shape[1]),
        }
    return params


def dense(layer, x):
    return x @ layer["w"] + layer["b"]


def encode(params, images):
    hidden = jax.nn.relu(dense(params["enc_hidden"], images))
    return dense(params["enc_mean"], hidden), dense(params["enc_logvar"], hidden)


def decode(params, z):
    hidden = jax.nn.relu(dense(params["dec_hidden"], z))
    return dense(params["dec_out"], hidden)


def loss_fn(params, key, images):
    mean, logvar = encode(params, images)
    eps = jax.random.normal(key, mean.shape)
    z = mean + jnp.exp(0.5 * logvar) * eps
    logits = decode(params, z)
    likelihood = jnp.sum(images * logits - jnp.logaddexp(0.0, logits), axis=-1)
    kl = -0.5 * jnp.sum(1 + logvar - mean**2 - jnp.exp(logvar), axis=-1)
    return jnp.mean(kl - likelihood)


@functools.partial(jax.jit, donate_argnums=(0,))
def train_step(params, key, images):
    loss, grads = jax.value_and_grad(loss_fn)(params, key, images)
    params = jax.tree.map(lambda p, g: p - STEP_SIZE * g, params, grads)
    return params, loss


@jax.jit
def evaluate(params, key, images):
    return loss_fn(params, key, images)


def main(steps=200):
    key = jax.random.key(0)
    params = jax.jit(init_params)(key)
    images = jax.random.uniform(key, (BATCH, 784))
    for step in range(steps):
        key, sub = jax.random.split(key)
        start = time.perf_counter()
        params, loss = train_step(params, sub, images)
        if step % 50 == 49:
            score = evaluate(params, sub, images)
            print(step, float(loss), float(score), time.perf_counter() - start)


if __name__ == "__main__":
    main()
