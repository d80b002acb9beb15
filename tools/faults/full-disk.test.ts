import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Device, Installation } from '../lib/installation.ts'

const MB = 1024 * 1024
/** A small disk of the server's own, seen by nobody else and gone with its last process. */
const MOUNT = ['unshare', '--mount', '--', '/bin/sh', '-c']
const mayMount =
  process.getuid?.() === 0 &&
  spawnSync(MOUNT[0]!, [...MOUNT.slice(1), 'mount -t tmpfs -o size=1m none /mnt'], { stdio: 'ignore' }).status === 0

describe.skipIf(!mayMount)('a full disk', () => {
  const disk = mkdtempSync(join(tmpdir(), 'tw-full-'))
  const dataDir = join(disk, 'data')
  const script = 'mount -t tmpfs -o size=600m none "$1" && shift && exec "$@"'
  let installation: Installation
  let device: Device
  beforeAll(async () => {
    mkdirSync(dataDir)
    const server = join(import.meta.dirname, '../../dist/server/main.js')
    installation = await Installation.create({
      command: [...MOUNT, script, 'sh', disk, process.execPath, server],
      env: { DATA_DIR: dataDir },
    })
    await installation.start()
    ;[device] = (await installation.devices(1)) as [Device]
  })
  afterAll(async () => {
    await installation?.stop()
    installation?.remove()
    rmSync(disk, { recursive: true, force: true })
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
    const view = `/proc/${installation.pid}/root${disk}`
    const filler = join(view, 'filler')
    fill(filler, view, 20 * MB)
    await expect.poll(ready).toEqual({ status: 503, disk: 'full: messages are not taken' })
    expect(await post()).toEqual({ status: 503, retry: '1', code: 'device_path.overloaded' })
    rmSync(filler)
    await expect.poll(ready).toEqual({ status: 200, disk: 'ok' })
    await expect.poll(post).toMatchObject({ status: 200 })
  })
})

/** Writes until only so much is free. */
function fill(file: string, folder: string, leave: number): void {
  const out = openSync(file, 'w')
  const block = Buffer.alloc(MB, 1)
  try {
    for (;;) {
      const { bavail, bsize } = statfsSync(folder)
      if (bavail * bsize <= leave) return
      writeSync(out, block)
    }
  } finally {
    closeSync(out)
  }
}
