import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BUILT_SERVER, type Device, Installation } from '../lib/installation.ts'
import { SmallDisk } from '../lib/small-disk.ts'

const DISK_MB = 600

describe.skipIf(!SmallDisk.isPossible)('a full disk', () => {
  let disk: SmallDisk
  let installation: Installation
  let device: Device
  beforeAll(async () => {
    disk = await SmallDisk.create(DISK_MB)
    installation = await Installation.create({
      command: [...disk.command, process.execPath, BUILT_SERVER],
      env: { DATA_DIR: `${disk.path}/data` },
    })
    await installation.start()
    ;[device] = (await installation.devices(1)) as [Device]
  })
  afterAll(async () => {
    await installation?.stop()
    installation?.remove()
    await disk?.remove()
  })

  const post = async () => {
    const reply = await fetch(`${installation.url}/device/v1/${device.productKey}/${device.deviceNo}/property`, {
      method: 'POST',
      headers: { authorization: `Bearer ${device.secret}`, 'content-type': 'application/json' },
      body: '{"n":1}',
    })
    return {
      status: reply.status,
      retry: reply.headers.get('retry-after'),
      code: ((await reply.json()) as { code?: string }).code,
    }
  }
  const ready = async () => {
    const reply = await fetch(`${installation.url}/readyz`)
    return { status: reply.status, disk: ((await reply.json()) as { checks: { disk: string } }).checks.disk }
  }

  it('is named by /readyz, and devices are told to come later, until there is room again', async () => {
    expect(await post()).toMatchObject({ status: 200 })
    expect(await ready()).toEqual({ status: 200, disk: 'ok' })
    disk.leave(8)
    await expect.poll(ready).toEqual({ status: 503, disk: 'full: messages are not taken' })
    expect(await post()).toEqual({ status: 503, retry: '1', code: 'device_path.overloaded' })
    disk.resize(DISK_MB)
    await expect.poll(ready).toEqual({ status: 200, disk: 'ok' })
    await expect.poll(post).toMatchObject({ status: 200 })
  })
})
