import { closeSync, openSync } from 'node:fs'
import { startServer } from './app/server.ts'
import { isPrintable } from './app/start-failure.ts'
import { surviveRejections } from './lib/background.ts'
import { ConfigError, processConfig } from './lib/config.ts'

/** Starts everything, prints the banner, and stops cleanly on Ctrl-C or SIGTERM; a second signal does not wait. */
async function main(): Promise<void> {
  const config = processConfig()
  const isKept = process.connected
  let reload = () => {}
  let hangUp = (): void => process.exit(129)
  // SIGHUP means that the certificate was renewed. A terminal that is closed sends it too.
  process.on('SIGHUP', () => (lostTerminal() ? hangUp() : reload()))
  const server = await startServer(config)
  reload = server.reload
  process.stdout.write(server.banner)

  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) {
      if (signal === 'SIGINT') process.exit(130)
      return
    }
    stopping = true
    process.stdout.write('\nStopping: taking what has arrived, then closing ...\n')
    server
      .stop()
      .then(() => process.exit(0))
      .catch((error: Error) => {
        process.stderr.write(`Stopping failed: ${error.message}\n`)
        process.exit(1)
      })
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  hangUp = () => stop('SIGHUP')
  // Whoever started us is gone, and with him who would start us again.
  process.on('disconnect', () => stop('SIGTERM'))
  if (!isKept) return
  // Gone while we were starting: nobody will tell us any more.
  if (process.connected) process.send?.({ type: 'up', ports: server.portSettings })
  else stop('SIGTERM')
}

/** Whether we ran in a terminal that is there no more. */
function lostTerminal(): boolean {
  if (!process.stdout.isTTY && !process.stderr.isTTY) return false
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return false
  } catch {
    return true
  }
}

surviveRejections()
main().catch((error: unknown) => {
  // A refusal that its reader can act on is one line; anything else is a fault of ours and shows where.
  const text =
    error instanceof ConfigError || isPrintable(error)
      ? (error as Error).message
      : ((error as Error)?.stack ?? String(error))
  process.stderr.write(`${text}\n`)
  process.exit(1)
})
