import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../lib/clock.ts'
import { silentLogger } from '../../lib/log.ts'
import { SignIn, type SignInOptions } from '../gateway/sign-in.ts'
import { RegistrationDesk } from '../identity/registration-desk.ts'
import type { DeviceRow, ProductRow } from './directory.repo.ts'
import { Directory } from './directory.ts'

const sha = (secret: string) => createHash('sha256').update(secret).digest()

const unasked = () => Promise.reject(new Error('not asked in these tests'))
/** One sign-in of a device that gives its secret. */
const signIn = (
  options: Pick<SignInOptions, 'directory' | 'clock' | 'logger'>,
  request: Parameters<SignIn['check']>[0],
) =>
  new SignIn({
    ...options,
    queries: { tokenOwners: unasked, bareNumber: unasked, inCompany: unasked, secrets: unasked, authorities: unasked },
    secrets: null,
    desk: new RegistrationDesk({ ask: unasked, clock: options.clock }),
  }).check(request)

/** A database of devices in memory that counts the queries made. */
function world() {
  const devices = new Map<string, DeviceRow>()
  const products: ProductRow[] = [
    {
      num: 1,
      product_key: 'pk',
      status: 'published',
      model_version: 1,
      published_model: { properties: [] },
      tenant_id: 't',
      link_type: 'mqtt',
      node_type: 'device',
      format: { kind: 'json' },
      link: {},
      dialects: {},
      command_rules: {},
      sub_devices: {},
    },
  ]
  const queries = { byNumber: 0, byNum: 0, products: 0 }
  let fail = false
  /** Holds answers back until told. */
  let gate: Promise<void> | null = null
  const clock = new ManualClock()
  const check = () => {
    if (fail) throw new Error('database is away')
  }
  const directory = new Directory({
    clock,
    logger: silentLogger,
    async byNumber(keys) {
      queries.byNumber++
      check()
      const rows = keys.flatMap(key => devices.get(`${key.productKey}/${key.deviceNo}`) ?? []).map(row => ({ ...row }))
      await gate
      return rows
    },
    async byNum(nums) {
      queries.byNum++
      check()
      return [...devices.values()].filter(row => nums.includes(row.num))
    },
    async products(nums) {
      queries.products++
      check()
      return products.filter(row => nums.includes(row.num)).map(row => ({ ...row }))
    },
  })
  const add = (num: number, over: Partial<DeviceRow> = {}) => {
    const row: DeviceRow = {
      num,
      id: `id-${num}`,
      tenant_id: 't',
      product_id: 'p',
      product_num: 1,
      product_key: 'pk',
      device_no: `d${num}`,
      lifecycle: 'active',
      secret_hash: sha(`secret-${num}`),
      previous_secret_hash: null,
      previous_secret_until: null,
      offline_delay_seconds: 300,
      gateway: null,
      sub_address: null,
      overrides: {},
      product_status: 'published',
      company_open: true,
      model_version: 1,
      ...over,
    }
    devices.set(`${row.product_key}/${row.device_no}`, row)
    return row
  }
  return {
    clock,
    directory,
    devices,
    products,
    queries,
    add,
    failing: (on: boolean) => {
      fail = on
    },
    hold: () => {
      let open!: () => void
      gate = new Promise(resolve => {
        open = resolve
      })
      return () => {
        gate = null
        open()
      }
    },
  }
}

describe('device directory', () => {
  it('reads 5,000 devices that come back at once with few queries, and none the next time', async () => {
    const w = world()
    for (let num = 1; num <= 5_000; num++) w.add(num)
    const entries = await Promise.all(
      Array.from({ length: 10_000 }, (_, i) => w.directory.find('pk', `d${(i % 5_000) + 1}`)),
    )
    expect(entries.every(entry => entry !== null)).toBe(true)
    const queries = w.queries.byNumber
    expect(queries).toBeLessThanOrEqual(20)
    expect(w.queries.products).toBe(1)
    await w.directory.find('pk', 'd17')
    expect(w.queries.byNumber).toBe(queries)
  })

  it('sees a change as soon as it is told to forget, and by itself after a minute', async () => {
    const w = world()
    const row = w.add(1)
    expect((await w.directory.find('pk', 'd1'))?.record.enabled).toBe(true)
    row.lifecycle = 'disabled'
    expect((await w.directory.find('pk', 'd1'))?.record.enabled).toBe(true)
    w.directory.forget({ device: 1 })
    expect((await w.directory.find('pk', 'd1'))?.record.enabled).toBe(false)
    row.lifecycle = 'active'
    w.clock.advance(59_000)
    expect((await w.directory.find('pk', 'd1'))?.record.enabled).toBe(false)
    w.clock.advance(2_000)
    expect((await w.directory.find('pk', 'd1'))?.record.enabled).toBe(true)
  })

  it('does not keep an answer that is older than the word of a change', async () => {
    const w = world()
    const row = w.add(1)
    const open = w.hold()
    const asked = w.directory.find('pk', 'd1')
    await expect.poll(() => w.queries.byNumber).toBe(1)
    // The query has read the old row and is still on its way when the device is disabled.
    row.lifecycle = 'disabled'
    w.directory.forget({ device: 1 })
    open()
    expect((await asked)?.record.enabled).toBe(false)
  })

  it('asks for an unknown number once in two seconds, and again after any change', async () => {
    const w = world()
    expect(await w.directory.find('pk', 'd9')).toBeNull()
    expect(await w.directory.find('pk', 'd9')).toBeNull()
    expect(w.queries.byNumber).toBe(1)
    w.add(9)
    w.directory.forget({ device: 9 })
    expect(await w.directory.find('pk', 'd9')).not.toBeNull()
  })

  it.each(['', 'a b', '\0', 'x'.repeat(65), 'a/b', '设备'])(
    'never asks the database for the number %j',
    async number => {
      const w = world()
      expect(await w.directory.find('pk', number)).toBeNull()
      expect(await w.directory.find(number, 'd1')).toBeNull()
      expect(w.queries.byNumber).toBe(0)
    },
  )

  it('lets uplinks wait, in order, for the model that was just published', async () => {
    const w = world()
    w.add(1)
    await w.directory.find('pk', 'd1')
    w.products[0] = {
      ...w.products[0]!,
      model_version: 2,
      published_model: { properties: [{ identifier: 'speed', name: 'speed', dataType: { type: 'double' } }] },
    }
    w.directory.forget({ product: 1 })
    const product = w.directory.product(1)
    expect(product.current).toBe(false)
    const seen: string[] = []
    product.waiting.push(
      () => seen.push(`1 ${product.model.properties.has('speed')}`),
      () => seen.push('2'),
    )
    await expect.poll(() => product.current).toBe(true)
    expect(seen).toEqual(['1 true', '2'])
  })

  it('rejects while the database is away and recovers', async () => {
    const w = world()
    w.add(1)
    w.failing(true)
    await expect(w.directory.find('pk', 'd1')).rejects.toThrow('away')
    const request = {
      productKey: 'pk',
      deviceNo: 'd1',
      secret: Buffer.from('secret-1'),
      address: '',
      transport: 'mqtt',
    } as const
    expect(await signIn({ ...w, logger: silentLogger }, request)).toEqual({ ok: false, reason: 'unavailable' })
    w.failing(false)
    expect(await w.directory.find('pk', 'd1')).not.toBeNull()
  })
})

describe('sign-in of devices', () => {
  const request = (secret: string, deviceNo = 'd1') =>
    ({ productKey: 'pk', deviceNo, secret: Buffer.from(secret), address: '', transport: 'mqtt' }) as const
  const options = (w: ReturnType<typeof world>) => ({ directory: w.directory, clock: w.clock, logger: silentLogger })

  it('takes the secret, and the previous one within its time only', async () => {
    const w = world()
    w.add(1, { previous_secret_hash: sha('old'), previous_secret_until: new Date(w.clock.now() + 1_000) })
    expect(await signIn(options(w), request('secret-1'))).toMatchObject({ ok: true, device: { num: 1 } })
    expect(await signIn(options(w), request('old'))).toMatchObject({ ok: true })
    expect(await signIn(options(w), request('other'))).toEqual({ ok: false, reason: 'wrong_secret' })
    w.clock.advance(1_001)
    expect(await signIn(options(w), request('old'))).toEqual({ ok: false, reason: 'wrong_secret' })
  })

  it('says why not, and that a device is disabled only to who knows its secret', async () => {
    const w = world()
    w.add(1, { lifecycle: 'disabled' })
    w.add(2, { lifecycle: 'recycled' })
    w.add(3, { product_status: 'draft' })
    expect(await signIn(options(w), request('secret-1'))).toEqual({ ok: false, reason: 'disabled' })
    expect(await signIn(options(w), request('guess'))).toEqual({ ok: false, reason: 'wrong_secret' })
    expect(await signIn(options(w), request('secret-2', 'd2'))).toEqual({ ok: false, reason: 'disabled' })
    expect(await signIn(options(w), request('secret-3', 'd3'))).toEqual({ ok: false, reason: 'not_published' })
    expect(await signIn(options(w), request('x', 'd4'))).toEqual({ ok: false, reason: 'unknown_device' })
  })
})
