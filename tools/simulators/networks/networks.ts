import { randomUUID } from 'node:crypto'
import { madeCards } from '../cards/made-cards.ts'
import { startCmcc } from '../carrier-cmcc/carrier-cmcc.ts'
import { startCtcc } from '../carrier-ctcc/carrier-ctcc.ts'
import { startChirpStack } from '../chirpstack/chirpstack.ts'
import { startCtwing } from '../ctwing/ctwing.ts'
import { madeCameras, startEzviz } from '../ezviz/ezviz.ts'
import { startOneNet } from '../onenet/onenet.ts'
import type { Wechat } from '../wechat/wechat.ts'
import { useCards } from './cards-life.ts'
import { furnish, live } from './life.ts'
import { readState, restore, type Simulated, writeState } from './state.ts'
import { reportAll } from './telecom-life.ts'
import { furnishWechat, tellServer } from './wechat-life.ts'

/** Where the demo company's server takes what ChirpStack and the telecom platforms push. */
export type NetworkOrder =
  | { type: 'integrate'; url: string; headers: Record<string, string> }
  | { type: 'reports'; platform: 'ctwing' | 'onenet'; url: string }
  | { type: 'wechat'; url: string }
  | { type: 'connected' }

/** The simulated networks of the demo company. */
export interface Networks {
  /** How the server reaches them. */
  said: object
  order(order: NetworkOrder): void
  end(): Promise<void>
}

const BEAT_MS = 20_000
/** NB-IoT devices sleep longer. */
const BEATS_A_REPORT = 3
const BEATS_A_CAMERA_ALARM = 90
/** WeChat sends its ticket every ten minutes. */
const BEATS_A_TICKET = 30
const PERSON = 10002
const CARDS = { cmcc: 60, ctcc: 40 }
const EZVIZ = { appKey: 'a0b1c2d3e4f5', appSecret: 'simulated' }
const CMCC = { appid: '100002000000', password: 'simulated' }
const CTCC = { userId: 'simulated-user', password: 'simulated', key: 'abc123ABC' }
const CTWING = { appKey: 'simulated-app', appSecret: 'simulated-secret' }
const CTWING_PRODUCT = { id: '10000001', masterKey: '00112233445566778899aabbccddeeff' }
const ONENET = { userId: '100001', accessKey: 'c2ltdWxhdGVkLWFjY2Vzcy1rZXktb2YtdGhlLWRlbW8=', token: 'simulated' }
const ONENET_PRODUCT = 'SIMULATED1'

/**
 * A ChirpStack whose devices speak, an EZVIZ account with cameras, two carriers with cards, CTWing, OneNET and WeChat.
 * What is made there is kept in a file, so that the company finds it again.
 */
export async function startNetworks(stateFile: string, wechat: Wechat): Promise<Networks> {
  const { state, isFirst } = readState(stateFile)
  // A file of an older version knows no cards and no telecom devices.
  const isFirstOf = { cards: state.cards === null, telecom: state.telecom === null, wechat: state.wechat === null }
  const { tenantId, apiKeyId, secret } = state
  const now = Date.now
  const [lns, vendor, cmcc, ctcc, ctwing, onenet] = await Promise.all([
    startChirpStack({ tenantId, apiKeyId, secret }),
    startEzviz({ ...EZVIZ, cameras: state.cameras ?? madeCameras(2, EZVIZ.appKey) }),
    startCmcc({ ...CMCC, cards: state.cards?.cmcc ?? madeCards('cmcc', CARDS.cmcc) }),
    startCtcc({ ...CTCC, cards: state.cards?.ctcc ?? madeCards('ctcc', CARDS.ctcc) }),
    startCtwing({ ...CTWING, products: { [CTWING_PRODUCT.id]: CTWING_PRODUCT.masterKey } }),
    startOneNet({ ...ONENET, products: [ONENET_PRODUCT] }),
  ])
  const all: Simulated = { lns, vendor, cmcc, ctcc, ctwing, onenet, wechat }
  const ofWechat = furnishWechat(wechat, state.wechat)
  restore(state, all)
  if (isFirst) furnish(lns, randomUUID(), now())

  // Before the company is connected everything is to be begun again by the next start.
  let connected = !isFirst && !Object.values(isFirstOf).includes(true)
  const targets: Partial<Record<'ctwing' | 'onenet', string>> = {}
  const keep = () => {
    if (connected) writeState(stateFile, state, all)
  }
  let beats = 0
  async function round(): Promise<void> {
    await live(lns, now())
    useCards([...cmcc.cards, ...ctcc.cards], state, now(), BEAT_MS)
    if (beats % BEATS_A_REPORT === 0) await reportAll({ ctwing, onenet }, targets, now())
    const [camera] = vendor.cameras
    if (beats % BEATS_A_TICKET === BEATS_A_TICKET - 1 && wechat.platform.platform) await wechat.platform.sendTicket()
    if (camera && beats % BEATS_A_CAMERA_ALARM === BEATS_A_CAMERA_ALARM / 3) vendor.alarm(camera.serial, 1, PERSON, '')
    beats++
  }
  let busy = false
  const beat = () => {
    if (busy) return
    busy = true
    round()
      // The server is being started or ended: the next round finds it again.
      .catch(() => undefined)
      .finally(() => {
        busy = false
        keep()
      })
  }
  const timer = setInterval(beat, BEAT_MS)
  for (const id of lns.things.gateways.keys()) lns.gatewayStats(id)

  return {
    said: {
      isFirst,
      isFirstOf,
      wechat: ofWechat,
      chirpstack: { url: lns.url, tenantId, apiKey: lns.apiKey, email: lns.email, password: lns.password },
      ezviz: { url: vendor.url, ...EZVIZ },
      carriers: {
        cmcc: {
          url: cmcc.url,
          account: CMCC.appid,
          password: CMCC.password,
          secretKey: '',
          cards: cmcc.cards.map(numbersOf),
        },
        ctcc: {
          url: ctcc.url,
          account: CTCC.userId,
          password: CTCC.password,
          secretKey: CTCC.key,
          cards: ctcc.cards.map(numbersOf),
        },
      },
      telecom: {
        ctwing: {
          url: ctwing.url,
          account: CTWING.appKey,
          appSecret: CTWING.appSecret,
          token: '',
          product: CTWING_PRODUCT.id,
          masterKey: CTWING_PRODUCT.masterKey,
        },
        onenet: {
          url: onenet.url,
          account: ONENET.userId,
          appSecret: ONENET.accessKey,
          token: ONENET.token,
          product: ONENET_PRODUCT,
          masterKey: '',
        },
      },
    },
    order(order) {
      if (order.type === 'reports') targets[order.platform] = order.url
      else if (order.type === 'wechat')
        // A server that ends just now hears the next one.
        tellServer(wechat, order.url).catch(() => undefined)
      else if (order.type === 'integrate') lns.integrate({ url: order.url, headers: order.headers })
      else {
        connected = true
        beats = 0
        beat()
      }
    },
    async end() {
      clearInterval(timer)
      keep()
      await Promise.all([lns, vendor, cmcc, ctcc, ctwing, onenet].map(one => one.close()))
    },
  }
}

const numbersOf = ({ iccid, msisdn, imsi }: { iccid: string; msisdn: string; imsi: string }) => ({
  iccid,
  msisdn,
  imsi,
})
