import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { connectDevice } from '../connect.ts'
import { TinyMqttServer } from '../testing/mqtt-server.ts'
import type { ReceivedChunk } from './link.ts'

it('carries firmware over MQTT: reports, notices, questions and chunks', async () => {
  const server = await TinyMqttServer.start()
  const account = { productKey: 'pk', deviceNo: 'd1', deviceSecret: 'secret', random: () => 0 }
  const device = await connectDevice({ url: server.url, ...account })
  try {
    const { firmware } = device
    const notices: unknown[] = []
    const chunks: ReceivedChunk[] = []
    firmware.onNotify(payload => notices.push(payload))
    firmware.onChunk(chunk => chunks.push(chunk))
    await firmware.inform('modem', '1.0')
    await firmware.progress({ id: 'j1', state: 'downloading', percent: 10 })
    firmware.request?.({ id: 'j1', offset: 0, length: 4, count: 1 })
    await server.until(() => server.received.length === 3)
    expect(server.received.map(({ topic, payload, qos }) => [topic.slice(13), JSON.parse(payload), qos])).toEqual([
      ['ota/inform', { module: 'modem', version: '1.0' }, 1],
      ['ota/progress', { id: 'j1', state: 'downloading', percent: 10 }, 1],
      ['ota/request', { id: 'j1', offset: 0, length: 4, count: 1 }, 0],
    ])
    await server.send('pk/d1', 'things/pk/d1/ota/data/j1/0', Buffer.from([0, 0xff, 0x80, 1]))
    await server.send('pk/d1', 'things/pk/d1/ota/data/j1/refused', { id: 'j1', offset: 9, code: 'job_unknown' })
    await server.send('pk/d1', 'things/pk/d1/ota/notify', { id: 'j2' })
    expect(chunks).toEqual([
      { id: 'j1', offset: 0, bytes: Buffer.from([0, 0xff, 0x80, 1]) },
      { id: 'j1', offset: 9, bytes: null, code: 'job_unknown' },
    ])
    expect(notices).toEqual([{ id: 'j2' }])
    const asked = firmware.pull('modem')
    await server.until(() => server.received.some(({ topic }) => topic.endsWith('ota/pull')))
    await server.send('pk/d1', 'things/pk/d1/ota/notify', { id: 'j3' })
    expect(await asked).toEqual({ id: 'j3' })
    expect(notices).toHaveLength(1)
  } finally {
    await device.close()
    await server.stop()
  }
})

it('carries firmware over HTTP: reports, notices as commands, questions; no chunks', async () => {
  const seen: string[] = []
  let polls = 0
  const server = createServer((request, response) => {
    const path = request.url?.split('/').slice(5).join('/') ?? ''
    if (!path.startsWith('commands')) seen.push(`${request.method} ${path}`)
    const first = path === 'commands?wait=1' && polls++ === 0
    if (path === 'commands?wait=1' && !first) return
    const commands = first ? [{ kind: 'firmware', id: 'c1', params: { id: 'j1' } }] : []
    response.end(JSON.stringify(path.startsWith('ota/pull') ? { id: 'j2' } : { commands }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const account = { productKey: 'pk', deviceNo: 'd1', deviceSecret: 'secret', random: () => 0 }
  const device = await connectDevice({ url, ...account, pollSeconds: 1 })
  try {
    const { firmware } = device
    expect(await new Promise(resolve => firmware.onNotify(resolve))).toEqual({ id: 'j1' })
    await firmware.inform('default', '1.0')
    expect(await firmware.pull('modem')).toEqual({ id: 'j2' })
    expect(firmware.request).toBeNull()
    expect(seen).toEqual(['POST ota/inform', 'GET ota/pull?module=modem'])
  } finally {
    await device.close()
    server.closeAllConnections()
    server.close()
  }
})
