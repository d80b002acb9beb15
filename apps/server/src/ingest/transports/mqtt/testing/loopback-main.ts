import { startLoopback } from './loopback.ts'

// Runs the general broker for outside suites: `node --import tsx loopback-main.ts [PORT]` prints its port and serves
// until its standard input ends.
const { port, stop } = await startLoopback({ port: Number(process.argv[2] ?? 0) })
process.stdout.write(`${port}\n`)
process.stdin.resume()
process.stdin.on('end', () => {
  stop().then(() => process.exit(0))
})
