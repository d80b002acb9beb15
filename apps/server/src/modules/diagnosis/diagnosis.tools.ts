import { devicesContract } from '@thingwright/contracts/devices.contract'
import { type Diagnosis, type DiagnosisFinding, diagnosisContract } from '@thingwright/contracts/diagnosis.contract'
import { formatsContract } from '@thingwright/contracts/formats.contract'
import {
  agoText,
  enumerated,
  fill,
  linkTo,
  momentText,
  pages,
  reasonText,
  said,
  strong,
  toolInput,
  withCommonTexts,
} from '../../lib/tools/thing-kit.ts'
import {
  type Card,
  defineTool,
  type Mention,
  quoted,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '../../lib/tools/tools.ts'
import words from './diagnosis.tools.json' with { type: 'json' }
import doctor from './doctor-words.json' with { type: 'json' }

const ROWS = 20
const COLON = { zh: '\uff1a', en: ': ' }

/** A reason as a word of the doctor, else as the link's, else as it is. Safe in markdown. */
function wordOf(t: ToolContext, reason: unknown): string {
  const known: Record<string, string> = doctor[t.locale].reason
  const text = String(reason ?? '')
  return known[text] ?? reasonText(t, text)
}

/** Evidence as the sentences of the doctor take it: data is quoted, reasons and lists are words. */
function evidence(t: ToolContext, params: Record<string, unknown>): Record<string, unknown> {
  const list = (value: unknown) =>
    Array.isArray(value)
      ? enumerated(
          t,
          value.map(each => quoted(String(each))),
          5,
        )
      : quoted(String(value ?? ''))
  const company: Record<string, string> = doctor[t.locale].company
  const plain = Object.fromEntries(
    Object.entries(params).map(([key, value]) => [
      key,
      typeof value === 'object' ? list(value) : quoted(String(value ?? '')),
    ]),
  )
  return {
    ...plain,
    reasonWord: wordOf(t, params.reason),
    offlineWord: wordOf(t, params.reason),
    statusWord: company[String(params.status)] ?? quoted(String(params.status ?? '')),
    identifierList: list(params.identifiers ?? params.path),
    addressList: list(params.addresses ?? params.address),
    topicList: list(params.topics),
    nameList: list(params.names),
    ...(typeof params.until === 'number' ? { untilTime: momentText(t, params.until) } : {}),
    subscriptionList: list(params.subscriptions),
    revokedTime: typeof params.revokedAt === 'number' ? momentText(t, params.revokedAt) : '–',
    ...(typeof params.deviceTs === 'number' ? { deviceTime: momentText(t, params.deviceTs) } : {}),
  }
}

/** What is wrong and what to do about it. */
function findingText(t: ToolContext, { cause, params, at }: DiagnosisFinding): string {
  const { cause: names, causeText } = doctor[t.locale]
  const seen = at === null ? '' : ` (${agoText(t, at)})`
  return `**${names[cause]}**${seen}${COLON[t.locale]}${fill(causeText[cause], evidence(t, params))}`
}

/** Where the fixes of a finding are done. */
function fixLinks(t: ToolContext, device: Mention, productId: string, { fixes }: DiagnosisFinding): string[] {
  const to: Partial<Record<DiagnosisFinding['fixes'][number], string>> = {
    open_device_link: pages.deviceLink(device.id),
    rotate_secret: pages.deviceLink(device.id),
    enable_device: pages.device(device.id),
    restore_device: pages.devices({ tab: 'recycled' }),
    open_log: pages.device(device.id, 'messages'),
    open_frames: pages.device(device.id, 'messages'),
    publish_product: pages.product(productId),
    open_product_link: pages.productLink(productId),
    open_format: `/manage/product/ProductSet/ProductFormat?id=${productId}`,
    open_model: pages.product(productId),
    open_company: '/admin/account',
    open_alarms: pages.device(device.id, 'alarms'),
    open_triggers: pages.device(device.id, 'triggers'),
  }
  const names: Record<string, string> = doctor[t.locale].fix
  return fixes.flatMap(fix => (to[fix] ? [linkTo(names[fix] ?? fix, to[fix])] : []))
}

const diagnoseDevice = defineTool({
  name: 'diagnose_device',
  class: 'read',
  permission: 'device:read',
  tellsValues: true,
  description:
    'Why a device is offline, does not connect or does not report: follows the way of its messages (port, sign-in, frames, parsing, thing model, storage, commands, alarms and triggers), names the first broken step with the evidence and what to do.',
  input: toolInput({ device: said('Name, number or id of the device') }),
  words: withCommonTexts(words.diagnose_device),
  async run(t, input): Promise<ToolResult> {
    const device = await t.find('device', input.device)
    const [diagnosis, { productId, link, lastSeenAt }] = await Promise.all([
      t.call(diagnosisContract.device, { params: { id: device.id } }),
      t.call(devicesContract.get, { params: { id: device.id } }),
    ])
    const findings = diagnosis.steps.flatMap(({ findings }) => findings)
    const first = findings.find(({ cause }) => cause === diagnosis.cause) ?? findings[0]
    const rest = findings.filter(finding => finding !== first).slice(0, 4)
    const values = {
      name: strong(device.name),
      state: t.say(link),
      seen: agoText(t, lastSeenAt),
      step: diagnosis.step ? strong(doctor[t.locale].step[diagnosis.step]) : '',
      verdict: doctor[t.locale].verdict[diagnosis.verdict],
    }
    const fixes = first ? fixLinks(t, device, productId, first) : []
    return {
      text: [
        t.say(diagnosis.verdict, values),
        ...(first ? [findingText(t, first)] : []),
        ...(rest.length > 0
          ? [`${t.say('also')}\n${rest.map(finding => `- ${findingText(t, finding)}`).join('\n')}`]
          : []),
        [linkTo(t.say('openDoctor'), pages.device(device.id, 'diagnose')), ...fixes].join(' · '),
      ].join('\n\n'),
      cards: [stepTable(t, device, diagnosis)],
      data: {
        device: device.name,
        verdict: diagnosis.verdict,
        brokenStep: diagnosis.step,
        cause: diagnosis.cause,
        findings: findings.slice(0, 5).map(finding => ({
          cause: finding.cause,
          severity: finding.severity,
          text: findingText(t, finding),
          fixes: finding.fixes,
        })),
        steps: diagnosis.steps.map(({ step, state }) => ({ step, state })),
      },
      mentions: [device],
    }
  },
})

function stepTable(t: ToolContext, device: Mention, { steps }: Diagnosis): Card {
  const { step: names, stepText, state: states } = doctor[t.locale]
  return {
    kind: 'table',
    title: t.say('title', { name: device.name }),
    columns: [
      { key: 'step', title: t.say('step') },
      { key: 'state', title: t.say('state') },
      { key: 'what', title: t.say('what') },
    ],
    rows: steps.map(({ step, state }) => ({
      step: { text: names[step] },
      state: { text: states[state] },
      what: { text: stepText[step] },
    })),
    link: { title: t.say('openDoctor'), to: pages.device(device.id, 'diagnose') },
  }
}

const refusedSignIns = defineTool({
  name: 'refused_sign_ins',
  class: 'read',
  permission: 'product:read',
  description:
    'Devices that tried to sign in with the key of a product and were refused lately, also with numbers that no device has, with the reason.',
  input: toolInput({ product: said('Name, key or id of the product') }),
  words: withCommonTexts(words.refused_sign_ins),
  async run(t, input): Promise<ToolResult> {
    const product = await t.find('product', input.product)
    const { items } = await t.call(diagnosisContract.refusedSignIns, { params: { id: product.id } })
    const values = { name: strong(product.name), count: items.length }
    if (items.length === 0) return { text: t.say('none', values), data: { signIns: [] }, mentions: [product] }
    return {
      text: t.say('some', values),
      cards: [
        {
          kind: 'table',
          title: t.say('title', { name: product.name }),
          columns: [
            { key: 'no', title: t.say('deviceNo') },
            { key: 'why', title: t.say('reason') },
            { key: 'from', title: t.say('from') },
            { key: 'count', title: t.say('count'), numeric: true },
            { key: 'at', title: t.say('time') },
          ],
          rows: items.slice(0, ROWS).map(item => ({
            no: { text: item.deviceNo, ...(item.deviceId ? { to: pages.device(item.deviceId, 'diagnose') } : {}) },
            why: { text: (doctor[t.locale].reason as Record<string, string>)[item.reason] ?? item.reason },
            from: { text: `${item.address} (${item.transport})` },
            count: { text: String(item.count) },
            at: { text: momentText(t, item.lastAt) },
          })),
          total: items.length,
          link: { title: t.say('openProduct'), to: pages.productLink(product.id) },
        },
      ],
      data: items
        .slice(0, 15)
        .map(({ deviceNo, reason, address, count, lastAt }) => ({ deviceNo, reason, address, count, lastAt })),
      mentions: [product],
    }
  },
})

const refusedFrames = defineTool({
  name: 'refused_frames',
  class: 'read',
  permission: 'product:read',
  tellsValues: true,
  description:
    'The last frames of a product’s devices that could not be read or were refused, with the reason and the bytes.',
  input: toolInput({ product: said('Name, key or id of the product') }),
  words: withCommonTexts(words.refused_frames),
  async run(t, input): Promise<ToolResult> {
    const product = await t.find('product', input.product)
    const { items } = await t.call(formatsContract.refusedFrames, { params: { id: product.id } })
    const values = { name: strong(product.name), count: items.length }
    if (items.length === 0) return { text: t.say('none', values), data: { frames: [] }, mentions: [product] }
    const reason = (word: string) => (doctor[t.locale].refusal as Record<string, string>)[word] ?? word
    const format = `/manage/product/ProductSet/ProductFormat?id=${product.id}`
    return {
      text: t.say('some', { ...values, last: quoted(reason(items[0]!.reason)), at: momentText(t, items[0]!.at) }),
      cards: [
        {
          kind: 'table',
          title: t.say('title', { name: product.name }),
          columns: [
            { key: 'at', title: t.say('time') },
            { key: 'device', title: t.say('device') },
            { key: 'why', title: t.say('reason') },
            { key: 'bytes', title: t.say('content') },
          ],
          rows: items.slice(0, ROWS).map(item => ({
            at: { text: momentText(t, item.at) },
            device: {
              text: item.deviceNo ?? t.say('noValue'),
              ...(item.deviceId ? { to: pages.device(item.deviceId, 'messages') } : {}),
            },
            why: { text: reason(item.reason) },
            bytes: { text: (item.text ?? item.hex).slice(0, 120) },
          })),
          total: items.length,
          link: { title: t.say('openFormat'), to: format },
        },
      ],
      data: items
        .slice(0, 10)
        .map(item => ({ at: item.at, deviceNo: item.deviceNo, reason: item.reason, hex: item.hex.slice(0, 200) })),
      mentions: [product],
    }
  },
})

/** What can be asked about why something does not arrive. */
export const diagnosisTools: readonly Tool[] = [diagnoseDevice, refusedSignIns, refusedFrames]
