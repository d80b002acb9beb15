import type { Database } from '../../lib/database/database.ts'
import * as devices from './devices.repo.ts'
import * as keys from './keys.repo.ts'
import * as repo from './mirror.repo.ts'
import { PlatformError } from './platform.port.ts'
import { masterContext, type Platforms, pskContext } from './platforms.ts'
import * as products from './products.repo.ts'

export interface MirrorDeps {
  database: Database
  platforms: Platforms
  now(): number
}

const TAKEN = 20
const LEASE_MS = 90_000
const RETRY_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000]
/** Tries to delete a device at the platform after it was deleted here; after that it has to be deleted there by hand. */
const MOST_REMOVALS = 24

/**
 * Makes devices at their platform and deletes them there. One that may have been made already, because nobody answered
 * in time, is looked for before it is made.
 * @returns how many were due
 */
export async function mirrorDue(deps: MirrorDeps): Promise<number> {
  const { database, now } = deps
  const due = await database.withSystemScope('telecom', scope =>
    repo.take(scope, new Date(now()), TAKEN, new Date(now() + LEASE_MS)),
  )
  await Promise.all(due.map(device => mirror(deps, device)))
  return due.length
}

async function mirror(deps: MirrorDeps, device: repo.DueDevice): Promise<void> {
  const { database, platforms, now } = deps
  const system = <T>(work: (scope: Parameters<typeof devices.learn>[0]) => Promise<T>) =>
    database.withSystemScope('telecom', work)
  const learn = (values: devices.DeviceValues) => system(scope => devices.learn(scope, device.deviceId, values))
  const { keyId, platformProduct } = device
  const { key, link } = await system(async scope => ({
    key: keyId === null ? undefined : await keys.plain(scope, keyId),
    link:
      keyId === null || platformProduct === null ? undefined : await products.ofPlatform(scope, keyId, platformProduct),
  }))
  const isRemoval = device.mirror === 'removing'
  if (!key || !link || platformProduct === null) return isRemoval ? removed() : learn({ mirror: 'none', dueAt: null })
  // No requests are made with a disabled key; the work goes on when the key is enabled again.
  if (key.state === 'disabled') return learn({ dueAt: new Date(now() + 60_000) })
  const platform = platforms.of(key)
  const product = {
    platformProduct,
    masterKey: link.masterCipher ? platforms.openText(masterContext(link.productId), link.masterCipher) : '',
  }
  try {
    if (isRemoval) {
      if (device.platformDevice !== null)
        await platform.deleteDevice(product, {
          platformDevice: device.platformDevice,
          deviceNo: device.deviceNo,
          imei: device.imei ?? '',
        })
      await removed()
    } else {
      const made = {
        name: device.name ?? device.deviceNo,
        deviceNo: device.deviceNo,
        imei: device.imei ?? '',
        imsi: device.imsi,
        psk: device.pskCipher ? platforms.openText(pskContext(device.deviceId), device.pskCipher) : null,
      }
      const known = device.tries > 0 ? await platform.findDevice(product, made) : null
      await learn({
        platformDevice: known ?? (await madeOrFound()),
        mirror: 'mirrored',
        mirrorFault: null,
        tries: 0,
        dueAt: null,
      })

      async function madeOrFound(): Promise<string> {
        try {
          return await platform.createDevice(product, made)
        } catch (error) {
          if (!(error instanceof PlatformError) || error.fault !== 'exists') throw error
          const found = await platform.findDevice(product, made)
          // It is there, in another product of the platform.
          if (found === null) throw error
          return found
        }
      }
    }
    await system(scope => keys.note(scope, key.id, null))
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    if (error.fault === 'credentials')
      await system(scope => keys.note(scope, key.id, { kind: error.fault, code: error.code, text: error.text }))
    const tries = device.tries + 1
    const again = error.passing || (isRemoval && device.name === null && tries < MOST_REMOVALS)
    if (isRemoval && device.name === null && !again) return removed()
    const wait = RETRY_MS[Math.min(tries, RETRY_MS.length) - 1]!
    await learn({
      tries,
      mirrorFault: error.said.slice(0, 300),
      ...(again ? { dueAt: new Date(now() + wait) } : { mirror: 'failed', dueAt: null }),
    })
  }

  /** The platform has it no more. */
  async function removed(): Promise<void> {
    await system(async scope => {
      if (device.name === null) return devices.remove(scope, device.deviceId)
      const current = await products.find(scope, device.productId)
      const again = device.wanted && device.imei !== null && current !== undefined
      await devices.learn(scope, device.deviceId, {
        platformDevice: null,
        mirrorFault: null,
        tries: 0,
        keyId: current?.keyId ?? null,
        platformProduct: current?.platformProduct ?? null,
        mirror: again ? 'pending' : 'none',
        dueAt: again ? new Date(now()) : null,
      })
    })
  }
}
