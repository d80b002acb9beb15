import { beforeAll, describe, expect, it } from 'vitest'
import { type Company, company, type Management, management, refusal } from '../../db/testing/management.ts'

let world: Management
let acme: Company
let other: Company

beforeAll(async () => {
  world = await management()
  acme = await company(world.db)
  other = await company(world.db)
})

const product = (linkType: string, of: Company = acme) =>
  world.products.service.create(of.ctx, { name: `A ${linkType} product`, linkType } as never)
const links = () => world.products.link

describe('link settings of a product', () => {
  it('are the defaults of its format until somebody sets them, and again when nothing is set', async () => {
    const { id } = await product('tcp')
    const before = await links().get(acme.ctx, id)
    expect(before).toMatchObject({
      isDefault: true,
      settings: {
        register: { kind: 'line' },
        framing: { kind: 'json' },
        idleGapMs: 1_000,
        port: { mode: 'shared' },
      },
      port: { state: 'shared', number: null },
    })
    world.gateway.take()
    const set = await links().set(acme.ctx, id, { version: before.version, framing: { kind: 'fixed', length: 9 } })
    expect(set).toMatchObject({ isDefault: false, settings: { framing: { kind: 'fixed', length: 9 } } })
    expect(world.gateway.take()).toEqual([expect.stringMatching(/^forget product/)])
    expect(await refusal(links().set(acme.ctx, id, { version: before.version }))).toMatchObject({
      code: 'version.conflict',
      params: { current: { settings: { framing: { kind: 'fixed', length: 9 } } } },
    })
    expect(await links().set(acme.ctx, id, {})).toMatchObject({ isDefault: true })
  })

  it('are refused with every problem named, and for products that have none', async () => {
    const { id } = await product('tcp')
    expect(
      await refusal(
        links().set(acme.ctx, id, {
          register: { kind: 'regex', pattern: '(a' },
          heartbeat: { packet: { encoding: 'hex', value: 'F' } },
          port: { mode: 'own', number: 22 },
        }),
      ),
    ).toMatchObject({
      code: 'product.link_invalid',
      params: { count: 3 },
      fields: {
        'register.pattern': { code: 'pattern.not_readable', params: { part: '(a' } },
        'heartbeat.packet.value': { code: 'link.hex_invalid' },
        'port.number': { code: 'link.port_out_of_range' },
      },
    })
    const mqtt = await product('mqtt')
    expect(await refusal(links().set(acme.ctx, mqtt.id, {}))).toMatchObject({ code: 'product.link_unavailable' })
    expect(await links().get(acme.ctx, mqtt.id)).toMatchObject({ port: { state: 'unused' } })
    expect(await refusal(links().get(other.ctx, id))).toMatchObject({ code: 'product.not_found' })
  })

  it('claim a port that nobody else has, over all companies, and give it back', async () => {
    const [mine, theirs, third] = [await product('tcp'), await product('udp', other), await product('modbus_rtu')]
    const own = { port: { mode: 'own' } } as const
    const first = await links().set(acme.ctx, mine.id, own)
    const second = await links().set(other.ctx, theirs.id, own)
    expect([first.port.number, second.port.number]).toEqual([6100, 6101])
    // Saving again keeps the port.
    expect((await links().set(acme.ctx, mine.id, { ...own, idleGapMs: 20 })).port.number).toBe(6100)
    const taken = await refusal(links().set(acme.ctx, third.id, { port: { mode: 'own', number: 6101 } }))
    expect(taken).toMatchObject({ code: 'product.port_taken', params: { port: 6101 } })
    await links().set(other.ctx, theirs.id, { port: { mode: 'shared' } })
    expect((await links().set(acme.ctx, third.id, { port: { mode: 'own', number: 6101 } })).port.number).toBe(6101)
    await world.products.service.remove(acme.ctx, third.id)
    expect((await links().set(other.ctx, theirs.id, own)).port.number).toBe(6101)
  })

  it('are tried on bytes without being stored', async () => {
    const { id } = await product('tcp')
    const hex = (text: string) => Buffer.from(text).toString('hex')
    const trial = await links().try(acme.ctx, id, {
      settings: {
        register: { kind: 'json', path: '$.sn' },
        heartbeat: { packet: { encoding: 'text', value: 'PING' } },
        maxFrameBytes: 16,
      },
      register: hex('{"sn":"A1"}'),
      stream: hex(`a,1\r\nPING\r\n${'x'.repeat(20)}\nlast`),
    })
    expect(trial.register).toEqual({ productKey: null, deviceNo: 'A1', problem: null })
    expect(trial.frames.map(frame => [frame.kind, frame.text])).toEqual([
      ['frame', 'a,1'],
      ['heartbeat', 'PING'],
      ['too_long', 'x'.repeat(16)],
      ['frame', 'last'],
    ])
    expect(await links().get(acme.ctx, id)).toMatchObject({ isDefault: true })
    expect((await links().try(acme.ctx, id, { register: hex('hello') })).register).toMatchObject({
      problem: 'not_a_line',
    })
  })
})
