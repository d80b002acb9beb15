import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { processTable, treeOf } from '../../lib/processes.ts'
import { seconds, until } from './bench.ts'
import { JsonSocket } from './web-socket.ts'

/** Where Node opens its inspector on SIGUSR1; one process after the other has it. */
const INSPECTOR = 'http://127.0.0.1:9229'

interface Reply {
  id?: number
  result?: { profile?: object }
  error?: { message: string }
}

/** Node processes of the server, by a word of their command line. */
export const SERVER_PROCESSES = { gateway: 'server/gateway.', main: 'server/main.' } as const

/**
 * Takes a CPU profile of a running Node process below `root`, to be opened in the browser's developer tools.
 * @returns the file
 */
export async function profile(
  root: number,
  which: keyof typeof SERVER_PROCESSES,
  forSeconds: number,
  folder: string,
): Promise<string> {
  const found = treeOf(root, processTable()).find(p => p.command.includes(SERVER_PROCESSES[which]))
  if (!found) throw new Error(`there is no process ${which}`)
  process.kill(found.pid, 'SIGUSR1')
  let url = ''
  const opened = await until(async () => {
    url = await inspectorOf(SERVER_PROCESSES[which])
    return url !== ''
  }, 5_000)
  if (!opened) throw new Error(`the inspector of ${which} did not open on port 9229`)
  const waiting = new Map<number, (reply: Reply) => void>()
  let next = 1
  const socket = await JsonSocket.open(url, message => waiting.get((message as Reply).id ?? 0)?.(message as Reply))
  const ask = (method: string, params: object = {}) =>
    new Promise<Reply>((resolve, reject) => {
      const id = next++
      waiting.set(id, reply => (reply.error ? reject(new Error(reply.error.message)) : resolve(reply)))
      socket.send({ id, method, params })
    })
  await ask('Profiler.enable')
  await ask('Profiler.setSamplingInterval', { interval: 500 })
  await ask('Profiler.start')
  await seconds(forSeconds)
  const { result } = await ask('Profiler.stop')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${which}.cpuprofile`)
  writeFileSync(file, JSON.stringify(result!.profile))
  // The port is needed for the next one; the reply may be lost with the connection.
  socket.send({
    id: next++,
    method: 'Runtime.evaluate',
    params: { expression: 'setTimeout(() => process._debugEnd(), 50)' },
  })
  await seconds(0.5)
  socket.close()
  return file
}

/** Address of the inspector when it belongs to the program; empty while it is not there. */
async function inspectorOf(program: string): Promise<string> {
  try {
    const [target] = (await (await fetch(`${INSPECTOR}/json`)).json()) as {
      url: string
      webSocketDebuggerUrl: string
    }[]
    return target?.url.includes(program) ? target.webSocketDebuggerUrl.replace('ws://', 'http://') : ''
  } catch {
    return ''
  }
}
