import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Installation } from '../lib/installation.ts'
import { CountingDevice } from './counting-device.ts'

describe('a process that hangs', () => {
  let installation: Installation
  let device: CountingDevice
  beforeAll(async () => {
    installation = await Installation.create()
    await installation.start()
    const [made] = await installation.devices(1)
    device = new CountingDevice(made!, 1, installation.mqttPort, 5)
  })
  afterAll(async () => {
    for (const role of ['gateway', 'main'] as const) send(role, 'SIGCONT')
    await device?.settle()
    await device?.close()
    await installation?.stop()
    installation?.remove()
  })

  const send = (role: 'gateway' | 'main', signal: NodeJS.Signals) => {
    for (const { pid } of installation.processes().filter(p => p.role === role)) process.kill(pid, signal)
  }
  const health = async () => (await fetch(`${installation.url}/healthz`)).status

  it('the gateway: /healthz says 503 until it goes on', async () => {
    await expect.poll(() => device.acknowledged.size).toBeGreaterThan(0)
    expect(await health()).toBe(200)
    send('gateway', 'SIGSTOP')
    await expect.poll(health).toBe(503)
    const reply = await fetch(`${installation.url}/healthz`)
    expect(await reply.text()).toContain('the gateway does not answer')
    send('gateway', 'SIGCONT')
    await expect.poll(health).toBe(200)
    const before = device.acknowledged.size
    await expect.poll(() => device.acknowledged.size).toBeGreaterThan(before)
  })

  it('the main process: devices are acknowledged on, and nothing is ended when it goes on', async () => {
    const gateway = installation.processes().find(p => p.role === 'gateway')!.pid
    send('main', 'SIGSTOP')
    const before = device.acknowledged.size
    await expect.poll(() => device.acknowledged.size).toBeGreaterThan(before + 10)
    // Longer than the gateway is waited for: its parent must not take its own absence for the gateway's.
    await expect.poll(() => installation.log).toContain('the main process does not answer')
    send('main', 'SIGCONT')
    await expect.poll(() => installation.log).toContain('the main process answers again')
    await expect.poll(health).toBe(200)
    expect(installation.processes().find(p => p.role === 'gateway')!.pid).toBe(gateway)
  })
})
