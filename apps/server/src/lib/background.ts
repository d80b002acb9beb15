import type { Logger } from './log.ts'

type Report = (what: string, error: unknown) => void

/** Where failures go until the process has a log. */
const onStandardError: Report = (what, error) =>
  process.stderr.write(`${what}: ${error instanceof Error ? error.stack : String(error)}\n`)

let report = onStandardError
let failed = 0
let unhandled = 0

/**
 * Lets work go on that nobody waits for. When it fails, that is logged under its name and counted, and nothing else
 * ends: not the process, and not the connections of devices. The only way to start such work (a gate of `npm run check`
 * forbids promises that float and `void` before one).
 * @param what what is done, as the log shall name it
 */
export function inBackground(what: string, work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    failed++
    report(what, error)
  })
}

/** How often work in the background failed in this process, and how often a rejection had nobody at all. */
export function backgroundFailures(): { background_failures: number; unhandled_rejections: number } {
  return { background_failures: failed, unhandled_rejections: unhandled }
}

/** Sends failures of background work to a log from now on. @returns what sends them where they went before */
export function reportBackgroundTo(logger: Pick<Logger, 'error'>): () => void {
  const before = report
  report = (what, error) => logger.error({ err: error, work: what }, 'work in the background failed')
  return () => {
    report = before
  }
}

/**
 * The last net of a process that holds connections: a rejection that nobody took is logged and counted, and the process
 * goes on. An uncaught exception still ends it: then nobody knows in what state it was left.
 */
export function surviveRejections(channel: Pick<NodeJS.Process, 'on'> = process): void {
  channel.on('unhandledRejection', error => {
    unhandled++
    report('a promise that nobody waited for', error)
  })
}
