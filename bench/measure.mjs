import { execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { promisify } from 'node:util'

const here = import.meta.dirname
export const program = join(here, '../bin/tug.js')

/** Nothing may run longer than this. */
const mostMilliseconds = 120_000

/** Runs a program to its end, with its output going nowhere; gives the milliseconds. Throws if it fails or takes too long. */
function time(words, env) {
  return new Promise((done, fail) => {
    const begin = process.hrtime.bigint()
    const child = spawn(words[0], words.slice(1), {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: mostMilliseconds,
    })
    let milliseconds
    let said = ''
    child.stderr.on('data', (piece) => (said += piece))
    child.on('error', fail)
    child.on('exit', () => (milliseconds = Number(process.hrtime.bigint() - begin) / 1e6))
    child.on('close', (status) => {
      if (status === 0) done(milliseconds)
      else fail(new Error(`${words.join(' ')} exited with status ${status}: ${said}`))
    })
  })
}

/** The most memory, in bytes, and the milliseconds of cpu time that a script of Node takes, in a run of its own: reading them takes some time. */
export function usageOf(words, env) {
  return new Promise((done, fail) => {
    const preload = ['--require', join(here, 'usage.cjs'), ...words.slice(1)]
    const child = spawn(words[0], preload, {
      env,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      timeout: mostMilliseconds,
    })
    let usage = ''
    let said = ''
    child.stdio[3].on('data', (piece) => (usage += piece))
    child.stderr.on('data', (piece) => (said += piece))
    child.on('error', fail)
    child.on('close', (status) => {
      if (status === 0) done(JSON.parse(usage))
      else fail(new Error(`${words.join(' ')} exited with status ${status}: ${said}`))
    })
  })
}

/**
 * Runs all variants once a round, in another order each time, so that they share fairly whatever else the machine does. For each
 * variant: the median of its times, and the quartiles of its ratios to the first variant in the same round. The first
 * round doesn't count. A variant in `optional` that fails is left out. With `cpu`, times are cpu times, of scripts of Node alone.
 */
export async function interleaved(variants, { rounds, env, memory, cpu, optional = [] }) {
  const names = Object.keys(variants)
  const samples = []
  /** The most memory of each variant. */
  const peaks = {}
  for (let round = -1; round < rounds; round += 1) {
    const sample = {}
    for (const name of shuffled(names)) {
      try {
        if (cpu) {
          const usage = await usageOf(variants[name], env)
          sample[name] = usage.cpu
          peaks[name] = Math.max(usage.peak, peaks[name] ?? 0)
        } else sample[name] = await time(variants[name], env)
      } catch (error) {
        if (!optional.includes(name)) throw error
        names.splice(names.indexOf(name), 1)
      }
    }
    if (round >= 0) samples.push(sample)
  }
  const results = []
  for (const name of names) {
    const ratios = samples.map((sample) => sample[name] / sample[names[0]])
    const isScript = variants[name][0] === process.execPath
    results.push({
      name,
      milliseconds: quantile(
        samples.map((sample) => sample[name]),
        0.5,
      ),
      ratio: [0.5, 0.25, 0.75].map((part) => quantile(ratios, part)),
      ...(memory && isScript ? { peak: (await usageOf(variants[name], env)).peak } : {}),
      ...(cpu ? { peak: peaks[name] } : {}),
    })
  }
  return results
}

/** Starts the services; `end` stops them. */
export async function startServer() {
  const child = spawn(process.execPath, [join(here, 'server.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] })
  for await (const line of createInterface(child.stdout)) {
    return { origin: `http://127.0.0.1:${line}`, end: () => child.stdin.end() }
  }
  throw new Error('the server did not start')
}

/** Makes the executable with this Node in it; gives its path. */
export async function buildExecutable(folder) {
  await promisify(execFile)(process.execPath, ['scripts/build-sea.mjs', folder], { cwd: join(here, '..') })
  return join(folder, process.platform === 'win32' ? 'tug.exe' : 'tug')
}

/** The first of these programs that can be started; undefined if none can. */
export async function firstOf(...commands) {
  for (const command of commands) {
    const isThere = await new Promise((done) => {
      const child = spawn(command, ['--version'], { stdio: 'ignore' })
      child.on('error', () => done(false))
      child.on('exit', (status) => done(status === 0))
    })
    if (isThere) return command
  }
  return undefined
}

function shuffled(names) {
  return names
    .map((name) => [Math.random(), name])
    .toSorted(([a], [b]) => a - b)
    .map(([, name]) => name)
}

function quantile(numbers, part) {
  const ordered = numbers.toSorted((a, b) => a - b)
  const place = (ordered.length - 1) * part
  const low = ordered[Math.floor(place)]
  return low + (ordered[Math.ceil(place)] - low) * (place % 1)
}
