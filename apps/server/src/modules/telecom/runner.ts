import { inBackground } from '../../lib/background.ts'

export interface TelecomRunner {
  start(): void
  stop(): Promise<void>
  wake(): void
  /** Everything that is due, once. @returns how much that was */
  tick(): Promise<number>
}

const TICK_MS = 1_000

/** Does what is due at platforms, once a second and when it is woken. */
export function createTelecomRunner(work: readonly (() => Promise<number>)[]): TelecomRunner {
  let timer: NodeJS.Timeout | null = null
  let running: Promise<unknown> = Promise.resolve()
  let isRunning = false
  let isStopped = true

  async function tick(): Promise<number> {
    let done = 0
    for (const each of work) done += await each()
    return done
  }

  function look(): void {
    if (isRunning || isStopped) return
    isRunning = true
    running = (async () => {
      while (!isStopped && (await tick()) > 0);
    })().finally(() => {
      isRunning = false
    })
    inBackground('work at telecom platforms', running)
  }

  return {
    tick,
    wake: look,
    start() {
      isStopped = false
      timer = setInterval(look, TICK_MS)
      timer.unref()
      look()
    },
    async stop() {
      isStopped = true
      if (timer) clearInterval(timer)
      await running.catch(() => undefined)
    },
  }
}
