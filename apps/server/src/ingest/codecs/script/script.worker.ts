import { parentPort, workerData } from 'node:worker_threads'
import { EngineBroken, Sandbox } from './sandbox.ts'
import {
  ALIVE,
  AT_JOB,
  type BatchMessage,
  type BatchReply,
  type ForgetMessage,
  READY,
  type ScriptOutcome,
} from './script-jobs.ts'

/** The thread in which scripts of users run; see script-pool.ts. */

const shared = new Int32Array(workerData as SharedArrayBuffer)
const sources = new Map<string, string>()
const sandbox = await Sandbox.create(undefined, () => Atomics.add(shared, ALIVE, 1))

function run(message: BatchMessage): BatchReply {
  const { key, jobs } = message
  if (message.source !== undefined) sources.set(key, message.source)
  const source = sources.get(key) ?? ''
  const startedAt = performance.now()
  const outcomes: ScriptOutcome[] = []
  let broken = false
  for (let i = 0; i < jobs.length; i++) {
    Atomics.store(shared, AT_JOB, i)
    try {
      outcomes.push(sandbox.run(key, source, jobs[i]!))
    } catch (error) {
      if (!(error instanceof EngineBroken)) throw error
      outcomes.push({ ok: false, reason: 'script_error', detail: 'stack overflow', line: null })
      broken = true
      break
    }
    const last = outcomes.at(-1)!
    // The rest waits its turn behind the other scripts.
    if (!last.ok && last.reason !== 'script_error') break
  }
  return { outcomes, broken, ms: performance.now() - startedAt }
}

parentPort!.on('message', (message: BatchMessage | ForgetMessage) => {
  if (message.kind === 'batch') parentPort!.postMessage(run(message))
  else {
    sources.delete(message.key)
    sandbox.drop(message.key)
  }
})
// The engine's code is compiled as it is first used: that is done before anybody waits for it.
sandbox.run('warm', 'function decode() { return {} }', { kind: 'up', hex: '00', deviceNo: '', at: 0, variables: {} })
sandbox.drop('warm')
parentPort!.postMessage(READY)
