import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { join } from 'node:path'

const here = import.meta.dirname
export const program = join(here, '../bin/tug.js')

/** Longer than this nothing may run. */
const mostMilliseconds = 120_000

/**
 * Runs a program to its end with its output going nowhere. Gives its time in milliseconds and, for a script of Node with
 * `memory`, the most memory that it held in bytes. Throws when it fails or takes too long.
 */
function measure(words, { env, memory = false }) {
  const preload = memory ? ['--require', join(here, 'peak.cjs')] : []
  const [command, ...rest] = words[0] === 'node' ? [process.execPath, ...preload, ...words.slice(1)] : words
  return new Promise((done, fail) => {
    const begin = process.hrtime.bigint()
    const child = spawn(command, rest, {
      env,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      timeout: mostMilliseconds,
    })
    let milliseconds
    let said = ''
    let peak = ''
    child.stderr.on('data', (piece) => (said += piece))
    child.stdio[3].on('data', (piece) => (peak += piece))
    child.on('error', fail)
    child.on('exit', () => (milliseconds = Number(process.hrtime.bigint() - begin) / 1e6))
    child.on('close', (status) => {
      if (status === 0) done({ milliseconds, peak: Number(peak) })
      else fail(new Error(`${words.join(' ')} ended with ${status}: ${said}`))
    })
  })
}

/**
 * Runs all variants once a round, in another order each time, so that whatever else the machine does is shared fairly.
 * Gives for each variant the medians, and the median of its ratios to the first variant of the same round.
 */
export async function interleaved(variants, { rounds, env, memory }) {
  const names = Object.keys(variants)
  const samples = []
  for (let round = 0; round < rounds; round += 1) {
    const sample = {}
    for (const name of shuffled(names)) sample[name] = await measure(variants[name], { env, memory })
    samples.push(sample)
  }
  return names.map((name) => ({
    name,
    milliseconds: median(samples.map((sample) => sample[name].milliseconds)),
    ratio: median(samples.map((sample) => sample[name].milliseconds / sample[names[0]].milliseconds)),
    peak: median(samples.map((sample) => sample[name].peak)),
  }))
}

/** Starts the services; `end` stops them. */
export async function startServer() {
  const child = spawn(process.execPath, [join(here, 'server.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] })
  for await (const line of createInterface(child.stdout)) {
    return { origin: `http://127.0.0.1:${line}`, end: () => child.stdin.end() }
  }
  throw new Error('the server did not start')
}

/** True where a program can be started. */
export function isThere(command) {
  return new Promise((done) => {
    const child = spawn(command, ['--version'], { stdio: 'ignore' })
    child.on('error', () => done(false))
    child.on('exit', (status) => done(status === 0))
  })
}

function shuffled(names) {
  return names
    .map((name) => [Math.random(), name])
    .toSorted(([a], [b]) => a - b)
    .map(([, name]) => name)
}

function median(numbers) {
  const ordered = numbers.toSorted((a, b) => a - b)
  const middle = Math.floor(ordered.length / 2)
  return ordered.length % 2 === 1 ? ordered[middle] : (ordered[middle - 1] + ordered[middle]) / 2
}
