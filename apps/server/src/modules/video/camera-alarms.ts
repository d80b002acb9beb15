import type { Database } from '../../lib/database/database.ts'
import { newId } from '../../lib/ids.ts'
import type { Logger } from '../../lib/log.ts'
import { imageType } from '../tenants/index.ts'
import { tellOfObject } from '../triggers/index.ts'
import type { AccountRow } from './accounts.repo.ts'
import * as repo from './camera-alarms.repo.ts'
import type { Vendors } from './vendors.ts'
import { type VendorAlarm, VideoError, type VideoVendor } from './video.port.ts'
import type { PictureStore } from './video-control.service.ts'

const EVERY_MS = 30_000
/** The vendor lists what a camera noticed with a delay: so much is asked for again. */
const AGAIN_MS = 120_000
/** What happened before the first look raises nothing. */
const FIRST_MS = 60_000
/** After a pause no more than this is made up for. */
const LONGEST_MS = 3_600_000

export interface CameraAlarms {
  start(): void
  stop(): Promise<void>
  /** Asks every account whose company has triggers about cameras. @returns alarms that were new */
  tick(): Promise<number>
}

/** Pulls what cameras noticed from their vendors, keeps the pictures, and tells triggers of each once. */
export function createCameraAlarms(deps: {
  database: Database
  vendors: Vendors
  store: PictureStore
  logger: Logger
  now(): number
}): CameraAlarms {
  const { database, vendors, store, logger, now } = deps
  let timer: NodeJS.Timeout | null = null
  let running: Promise<unknown> = Promise.resolve()
  let stopped = true

  async function pull(account: AccountRow & { alarmsAt: Date | null }): Promise<number> {
    const vendor = vendors.of(account)
    const to = now()
    const last = account.alarmsAt?.getTime() ?? to - FIRST_MS
    const from = Math.max(to - LONGEST_MS, last - (account.alarmsAt ? AGAIN_MS : 0))
    let fresh = 0
    for await (const page of vendor.alarms({ from, to }))
      for (const alarm of page) if (await take(account, vendor, alarm)) fresh++
    await database.withSystemScope('video', scope => repo.keepAlarmsAt(scope, account.id, new Date(to)))
    return fresh
  }

  /** @returns whether it was not known yet */
  async function take(account: AccountRow, vendor: VideoVendor, alarm: VendorAlarm): Promise<boolean> {
    const channel = await database.withSystemScope('video', scope => repo.channelOf(scope, account.id, alarm))
    if (!channel || channel.isKnown) return false
    const id = newId(now())
    const objectKey = `company/${account.tenantId}/video/${id}`
    const picture = alarm.pictureUrl === null ? null : await pictureOf(vendor, alarm.pictureUrl)
    const contentType = picture && imageType(picture)
    if (picture && contentType) await store.put(objectKey, picture, { contentType, size: picture.length })
    return database.withSystemScope('video', async scope => {
      const isNew = await repo.keepAlarm(scope, {
        id,
        tenantId: account.tenantId,
        channelId: channel.id,
        vendorAlarm: alarm.id,
        at: new Date(alarm.at),
        ...(contentType ? { objectKey, contentType } : {}),
      })
      if (isNew)
        await tellOfObject(scope, {
          tenantId: account.tenantId,
          kind: 'camera',
          id: channel.id,
          name: channel.name,
          moment: 'alarm',
          values: { alarmType: alarm.type, alarmName: alarm.name, alarmId: alarm.id, serial: alarm.serial },
        })
      return isNew
    })
  }

  /** An alarm without its picture is better than none. */
  async function pictureOf(vendor: VideoVendor, url: string): Promise<Buffer | null> {
    try {
      return await vendor.pictureAt(url)
    } catch (error) {
      if (!(error instanceof VideoError)) throw error
      return null
    }
  }

  async function tick(): Promise<number> {
    const accounts = await database.withSystemScope('video', repo.askedAccounts)
    let fresh = 0
    for (const account of accounts) {
      if (stopped && timer) break
      try {
        fresh += await pull(account)
      } catch (error) {
        // Asked again from where it was left.
        if (!(error instanceof VideoError)) logger.error({ err: error }, 'alarms of cameras were not read')
      }
    }
    return fresh
  }

  const again = (): void => {
    if (stopped) return
    timer = setTimeout(() => {
      running = tick()
        .catch((error: Error) => logger.error({ err: error }, 'accounts of cameras were not looked at'))
        .then(again)
    }, EVERY_MS)
    timer.unref()
  }

  return {
    tick,
    start() {
      stopped = false
      again()
    },
    async stop() {
      stopped = true
      if (timer) clearTimeout(timer)
      await running
    },
  }
}
