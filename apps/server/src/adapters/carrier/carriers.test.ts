import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CmccCarrier, startCmcc } from '../../../../../tools/simulators/carrier-cmcc/carrier-cmcc.ts'
import { type CtccCarrier, startCtcc } from '../../../../../tools/simulators/carrier-ctcc/carrier-ctcc.ts'
import { createOutbound } from '../../lib/outbound/outbound.ts'
import type { Carrier, CarrierAccess } from '../../modules/sim-cards/carrier.port.ts'
import { createOneLink } from './cmcc-onelink/cmcc-onelink.ts'
import { createFiveG, fiveGSign, sortedQuery } from './ctcc/ctcc-5g.ts'
import { kilobytes, readAnswer } from './ctcc/ctcc-answer.ts'
import { createCmp, naturalOrdering } from './ctcc/ctcc-cmp.ts'
import { decrypted, encrypted } from './ctcc/three-key-cipher.ts'

const outbound = createOutbound({ allow: ['127.0.0.1/32'], timeoutMs: 1_000 })
const needs = { outbound, now: Date.now }
let cmcc: CmccCarrier
let ctcc: CtccCarrier
beforeAll(async () => {
  ;[cmcc, ctcc] = [await startCmcc({ pauseMs: 60_000 }), await startCtcc()]
})
afterAll(() => Promise.all([cmcc.close(), ctcc.close()]))

const ACCESS = {
  onelink: () => ({ baseUrl: cmcc.url, account: '100002000000', password: 'simulated', secretKey: '', options: {} }),
  cmp: () => ({
    baseUrl: ctcc.url,
    account: 'simulated-user',
    password: 'simulated',
    secretKey: 'abc123ABC',
    options: {},
  }),
  dcp: () => ({
    baseUrl: ctcc.url,
    account: 'simulated-app',
    password: '',
    secretKey: 'simulated-secret',
    options: {},
  }),
}
const MAKE = {
  onelink: (access: CarrierAccess) => createOneLink(access, needs),
  cmp: (access: CarrierAccess) => createCmp(access, needs),
  dcp: (access: CarrierAccess) => createFiveG(access, needs),
}

describe('the cipher and the signatures of China Telecom', () => {
  it('make the vectors of their documents', () => {
    const keys = ['abc', '123', 'ABC'] as const
    expect(encrypted('abcd', 'abc')).toBe('F04D08D326548A5C')
    expect(encrypted('a', 'abc')).toBe('63135E5A519F1737')
    expect(encrypted('abcd', ...keys)).toBe('6FD852BAC68D66F5')
    expect(encrypted('password', ...keys)).toBe('6837D5D1820031B808D0F66ED99990A7')
    const sorted = naturalOrdering(['14910000000', 'demo_user', 'demo_pass', 'queryTraffic'])
    expect(sorted).toBe('14910000000,demo_pass,demo_user,queryTraffic')
    expect(encrypted(sorted, ...keys)).toBe(
      '032DD8F3117892754D9D8420454B510F1F964E7F5AC63EB43B91B2199C189BF98F36CAB1DF5304C3472E31139A07A4444D4FDC263466CAAB7C5AC9AFAC9EC26692A5A241528E7C1B629459831FAFF9A7DFD02F40CF3D0B08',
    )
    for (const text of ['', 'a', 'demo_pass', '密码 p', 'x'.repeat(41)])
      expect(decrypted(encrypted(text, ...keys), ...keys)).toBe(text)
    // The empty acctCd stands first.
    expect(naturalOrdering(['b', '', 'a'])).toBe(',a,b')
    const query = sortedQuery({ orderTypeId: '19', access_number: '14910000000', acctCd: '' })
    expect(query).toBe('access_number=14910000000&acctCd=&orderTypeId=19')
    expect(fiveGSign(query, 'SECRET123', '20260102030405')).toBe(
      '3731383166623465666231636437376638653863356265396265623064626639',
    )
  })

  it('has answers in three forms', () => {
    expect(() => readAnswer('-3：签名错误')).toThrow(
      expect.objectContaining({ fault: 'credentials', text: '签名错误' }),
    )
    expect(() => readAnswer('<html>busy')).toThrow(expect.objectContaining({ fault: 'answer' }))
    expect(() => readAnswer('{"resultCode":"101004","resultMsg":"busy"}')).toThrow(
      expect.objectContaining({ fault: 'frequency', code: '101004' }),
    )
    expect([kilobytes('0.00MB'), kilobytes('1.5GB'), kilobytes('12'), kilobytes('?')]).toEqual([
      0,
      1572864,
      12,
      undefined,
    ])
  })
})

describe.each(['onelink', 'cmp', 'dcp'] as const)('a carrier over %s', kind => {
  const carrier = (over: Partial<CarrierAccess> = {}): Carrier => MAKE[kind]({ ...ACCESS[kind](), ...over })
  const simulator = () => (kind === 'onelink' ? cmcc : ctcc)
  const card = (n: number) => {
    const { iccid, msisdn, imsi } = simulator().cards[n]!
    return { iccid, msisdn, imsi }
  }

  it('reads a card by either number, and refuses no signature of ours', async () => {
    const [known] = simulator().cards
    const reading = await carrier().read(card(0))
    expect(reading).toMatchObject({ rawState: known!.status, msisdn: known!.msisdn })
    expect(Math.abs(reading.monthKb! - known!.monthKb)).toBeLessThan(10)
    expect(await carrier().read({ ...card(0), msisdn: null })).toMatchObject({ rawState: known!.status })
    expect(simulator().faults).toEqual([])
  })

  it('says in the words of the carrier that password or key are wrong', async () => {
    const wrong = kind === 'onelink' ? { password: 'other' } : { secretKey: kind === 'cmp' ? 'abc123ABD' : 'other' }
    await expect(carrier(wrong).test(null)).rejects.toMatchObject({ fault: 'credentials' })
    expect(simulator().faults.splice(0)).not.toEqual([])
    await carrier().test(null)
    await carrier().test(card(1))
    await expect(
      carrier().read({ iccid: '89860000000000000000', msisdn: '144000000000', imsi: null }),
    ).rejects.toMatchObject({
      fault: 'card_unknown',
    })
  })

  it('stops a card and lets it go again', async () => {
    // Each account has cards of its own here: they share the carrier.
    const n = kind === 'dcp' ? 2 : 1
    const state = (raw: string) => expect(simulator().cards[n]!.status).toBe(raw)
    const rawState = simulator().cards[n]!.status
    await carrier().change(card(n), { action: 'stop', rawState, apn: null })
    state(kind === 'onelink' ? '4' : '5')
    if (kind === 'onelink') {
      await expect(carrier().change(card(n), { action: 'resume', rawState: '4', apn: null })).rejects.toMatchObject({
        fault: 'frequency',
      })
      cmcc.cards[n]!.changedAt = 0
    }
    await carrier().change(card(n), { action: 'resume', rawState: '5', apn: null })
    state(rawState)
    await carrier().change(card(n), { action: 'data_off', rawState, apn: null })
    expect(simulator().cards[n]!.dataOff).toBe(true)
    await carrier().change(card(n), { action: 'data_on', rawState, apn: null })
    expect(simulator().cards[n]!.dataOff).toBe(false)
    expect(simulator().faults).toEqual([])
  })

  it('survives what carriers do: silence, half an answer, errors inside a 200, being down', async () => {
    const one = carrier()
    await one.read(card(0))
    const cases = [
      [{ kind: 'silent' }, 'timeout'],
      [{ kind: 'half' }, 'unavailable'],
      [{ kind: 'status', status: 503, body: 'maintenance' }, 'unavailable'],
      [{ kind: 'status', status: 429 }, 'frequency'],
    ] as const
    for (const [behaviour, fault] of cases) {
      simulator().behave(behaviour)
      await expect(one.read(card(0))).rejects.toMatchObject({ fault })
    }
    const busy = kind === 'onelink' ? '13000' : '101006'
    simulator().behave({ kind: 'error', code: busy, message: '系统忙，请稍后再试' })
    await expect(one.read(card(0))).rejects.toMatchObject({
      fault: 'unavailable',
      code: busy,
      text: '系统忙，请稍后再试',
    })
    simulator().behave({ kind: 'well' })
    await expect(one.read(card(0))).resolves.toMatchObject({ rawState: simulator().cards[0]!.status })
  })

  it('says what it can of a connection, and names what it was not told', async () => {
    const connectivity = await carrier().connectivity(card(0))
    expect(connectivity.realName).toBe(simulator().cards[0]!.realName)
    if (kind === 'onelink')
      expect(connectivity).toMatchObject({
        functions: expect.arrayContaining([{ name: 'data', on: true, apn: 'CMIOT' }]),
        session: { online: true, apn: 'CMIOT' },
        separated: { separated: false },
        position: { lng: 121.4737, lat: 31.2304 },
      })
  })
})

describe('OneLink', () => {
  it('says whether text messages and data are on, and asks for messages where they are', async () => {
    const carrier = MAKE.onelink(ACCESS.onelink())
    const [one, silent] = [cmcc.cards[0]!, cmcc.cards[5]!]
    one.monthSms = 7
    one.dataOff = true
    cmcc.asked.length = 0
    expect(await carrier.read(one)).toMatchObject({ smsOn: true, monthSms: 7, dataOff: true })
    expect(cmcc.asked).toContain('/query/sim-sms-usage')
    one.dataOff = false
    cmcc.asked.length = 0
    const reading = await carrier.read(silent)
    expect(reading).toMatchObject({ smsOn: false, dataOff: false })
    expect(reading).not.toHaveProperty('monthSms')
    expect(cmcc.asked).not.toContain('/query/sim-sms-usage')
    expect(cmcc.faults).toEqual([])
  })

  it('asks for a new token when the carrier no longer knows the old one, once', async () => {
    const carrier = MAKE.onelink(ACCESS.onelink())
    const { iccid, msisdn, imsi } = cmcc.cards[0]!
    await carrier.test(null)
    cmcc.behave({ kind: 'forget-tokens' }, 1)
    cmcc.asked.length = 0
    await carrier.read({ iccid, msisdn, imsi })
    expect(cmcc.asked.slice(0, 3)).toEqual(['/query/sim-status', '/get/token', '/query/sim-status'])
    expect(cmcc.faults).toEqual([])
  })
})
