import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { afterSilence } from './silence.ts'

/** Keeps the process from everything, as a machine with too much to do does. */
function holdUp(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

it('a process that was held up reads what came meanwhile before it speaks of silence', async () => {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [[socket]] = (await Promise.all([once(server, 'connection'), once(client, 'connect')])) as [[Socket], unknown]
  const heard: string[] = []
  let silence = afterSilence(20, () => heard.push('silence'))
  socket.on('data', bytes => {
    silence.end()
    heard.push(bytes.toString())
  })
  client.write('word')
  holdUp(60)
  await expect.poll(() => heard).toEqual(['word'])
  silence = afterSilence(20, () => heard.push('silence'))
  await expect.poll(() => heard).toEqual(['word', 'silence'])
  client.destroy()
  socket.destroy()
  server.close()
})
