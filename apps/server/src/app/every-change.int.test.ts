import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DiagnosisPort } from '../modules/diagnosis/diagnosis.port.ts'
import type { TargetAdapters } from '../modules/subscriptions/index.ts'
import { MemoryTarget } from '../modules/subscriptions/testing.ts'
import { acting, many } from './testing/every-change/acting.journey.ts'
import { apps } from './testing/every-change/apps.journey.ts'
import { assistant } from './testing/every-change/assistant.journey.ts'
import { cardOrders } from './testing/every-change/card-orders.journey.ts'
import { cloudPages } from './testing/every-change/cloud-pages.journey.ts'
import { company, moving } from './testing/every-change/company.journey.ts'
import { companyTransfers } from './testing/every-change/company-transfers.journey.ts'
import { contacts } from './testing/every-change/contacts.journey.ts'
import { customers } from './testing/every-change/customers.journey.ts'
import { examples } from './testing/every-change/examples.journey.ts'
import { firmware } from './testing/every-change/firmware.journey.ts'
import { CHANGES, type ChangeHouse, changeHouse, changer } from './testing/every-change/house.ts'
import { identities } from './testing/every-change/identities.journey.ts'
import { invoices } from './testing/every-change/invoices.journey.ts'
import { lora } from './testing/every-change/lora.journey.ts'
import { money } from './testing/every-change/money.journey.ts'
import { ownAccount, people } from './testing/every-change/people.journey.ts'
import { platform } from './testing/every-change/platform.journey.ts'
import { programs } from './testing/every-change/programs.journey.ts'
import { simCards } from './testing/every-change/sim-cards.journey.ts'
import { tariffs } from './testing/every-change/tariffs.journey.ts'
import { telecom } from './testing/every-change/telecom.journey.ts'
import { type Things, things } from './testing/every-change/things.journey.ts'
import { timedTasks } from './testing/every-change/timed-tasks.journey.ts'
import { triggers } from './testing/every-change/triggers.journey.ts'
import { video } from './testing/every-change/video.journey.ts'
import { scriptedHouse } from './testing/scripted-house.ts'

/** Routes that take more than a test here has at hand, and the tests in which their lines are looked at. */
const ELSEWHERE: Record<string, string> = {
  'identity.register': 'modules/identity/registration.int.test.ts: a captcha that programs cannot read comes first',
  'identity.resetPassword': 'modules/identity/registration.int.test.ts: as above',
  'identity.resetLink': 'nobody is signed in, and it asks for a captcha',
  'security.factorCode': 'modules/identity/second-step.int.test.ts: a step of a sign-in',
  'security.factorSetup': 'modules/identity/second-step.int.test.ts: a step of a sign-in',
  'security.oidcStart': 'modules/identity/oidc.int.test.ts: with a provider',
  'security.linkOidc': 'modules/identity/oidc.int.test.ts: with a provider',
  'security.unlinkOidc': 'modules/identity/oidc.int.test.ts: with a provider',
  'security.closeOwn': 'modules/identity/security.int.test.ts',
  'tlink.updatePassword': 'app/tlink-compat.int.test.ts: with the code of a message',
  'alarmLinks.look': 'changes nothing',
  'alarmLinks.acknowledge': 'modules/contacts/contacts.int.test.ts: with the link of a message',
  'notificationChannels.receipts': 'modules/contacts/contacts.int.test.ts: providers report',
  'pushDevices.test': 'modules/contacts/contacts-of-end-users.int.test.ts: with a push service',
  'videoChannels.live': 'changes nothing: an address of a picture',
  'videoChannels.playback': 'changes nothing: an address of a recording',
  'webApps.checkHost': 'changes nothing, and asks another host',
  'loraCallbacks.take': 'modules/lora/uplinks.int.test.ts: ChirpStack reports, with its secret',
  'wechatCallbacks.take': 'app/apps.int.test.ts: WeChat tells, signed',
  'wechatSignIn.start': 'nobody is signed in',
  'wechatAppletSignIn.enter': 'nobody is signed in',
  'wechatSignIn.bind': 'app/wechat-sign-in.int.test.ts: with WeChat',
  'wechatSignIn.unbind': 'app/wechat-sign-in.int.test.ts: with WeChat',
  'wechatAppletSignIn.bind': 'app/applet-pages.int.test.ts: with WeChat',
  'wechatAppletSignIn.accept': 'app/applet-messages.int.test.ts: with WeChat',
  'wechatAppletSignIn.unbind': 'app/applet-pages.int.test.ts: with WeChat',
  'wechatFollowers.scene': 'app/apps.int.test.ts: with WeChat',
  'wechatFollowers.bind': 'app/apps.int.test.ts: with WeChat',
  'wechatFollowers.unbind': 'app/apps.int.test.ts: with WeChat',
  'ownFollowers.bind': 'app/wechat-sign-in.int.test.ts: with WeChat',
  'ownFollowers.unbind': 'app/wechat-sign-in.int.test.ts: with WeChat',
  'wechatFollowers.setMenu': 'app/apps.int.test.ts: with WeChat',
  'wechatSimulator.scan': 'app/demo-networks.int.test.ts: with the simulated WeChat',
  'wechatSimulator.unfollow': 'app/demo-networks.int.test.ts: with the simulated WeChat',
  'wechatSimulator.authorize': 'app/demo-networks.int.test.ts: with the simulated WeChat',
  'wechatSimulator.decide': 'app/demo-networks.int.test.ts: with the simulated WeChat',
  'wechatApplets.authorize': 'app/applets.int.test.ts: with WeChat',
  'wechatApplets.setOwn': 'app/applets.int.test.ts: with WeChat',
  'wechatApplets.refresh': 'app/applets.int.test.ts: with WeChat',
  'wechatApplets.setDomains': 'app/applets.int.test.ts: with WeChat',
  'wechatApplets.remove': 'app/applets.int.test.ts: with WeChat',
  'wechatApplets.upload': 'app/applets.int.test.ts: with WeChat',
  'wechatApplets.submit': 'app/applets.int.test.ts: with WeChat',
  'wechatApplets.undo': 'app/applets.int.test.ts: with WeChat',
  'wechatApplets.release': 'app/applets.int.test.ts: with WeChat',
  'wechatApplets.rollback': 'app/applets.int.test.ts: with WeChat',
  'wechatApplets.addTester': 'app/applets.int.test.ts: with WeChat',
  'wechatApplets.removeTester': 'app/applets.int.test.ts: with WeChat',
  'wechatPlatformCallbacks.events': 'app/applets.int.test.ts: WeChat tells, signed',
  'wechatPlatformCallbacks.messages': 'app/applets.int.test.ts: WeChat tells, signed',
  'paymentNotices.wechat': 'modules/purchase-orders/online-payments.int.test.ts: the provider tells, signed',
  'paymentNotices.alipay': 'modules/purchase-orders/online-payments.int.test.ts: the provider tells, signed',
  'merchantNotices.wechat': 'modules/tariffs/merchants.int.test.ts: the provider tells, signed',
  'merchantNotices.alipay': 'modules/tariffs/merchants.int.test.ts: the provider tells, signed',
  'meterStatements.void': 'modules/tariffs/tariffs.int.test.ts: with readings that were billed',
  'assistant.testModel': 'changes nothing, and asks a model',
}

/** A device path that does what it is asked. */
const ANSWERING: DiagnosisPort = {
  probe: async probe => (probe === 'simulate' ? { outcome: 'stored' } : probe === 'send' ? 'sent' : []) as never,
  watchFrames: () => {},
}

describe('every change', () => {
  let house: ChangeHouse
  let made: Things
  beforeAll(async () => {
    house = await changeHouse({
      probes: ANSWERING,
      // Where the simulated ChirpStack listens.
      outboundAllow: ['127.0.0.1/32'],
      subscriptionTargets: { webhook: new MemoryTarget(), pull: new MemoryTarget() } as unknown as TargetAdapters,
    })
    house.container.tasks.runner.start()
    made = await things(house)
  })
  afterAll(async () => {
    await house.container.tasks.runner.stop()
    await house.close()
  })
  const told = () => house.findings.splice(0)

  it('of groups, products and devices leaves its line', () => expect(told()).toEqual([]))
  it.each([
    ['of which a contract has an example', () => examples(house, made)],
    ['of how devices prove who they are', () => identities(house, made)],
    ['that acts on devices', () => acting(house, made)],
    ['of many devices at once', () => many(house, made)],
    ['of the company itself', () => company(house)],
    ['of programs and what they are sent', () => programs(house, made)],
    ['of triggers and alarms', () => triggers(house, made)],
    ['of timed tasks and scenes', () => timedTasks(house, made)],
    ['of cloud pages', () => cloudPages(house, made)],
    ['of contacts', () => contacts(house)],
    ['of SIM cards', () => simCards(house, made)],
    ['of LoRa', () => lora(house)],
    ['of cameras', () => video(house, made)],
    ['of telecom keys', () => telecom(house)],
    ['of firmware', () => firmware(house, made)],
    ['of people', () => people(house)],
    ['of customers and their devices', () => customers(house, made)],
    ['of devices that go to another company', () => companyTransfers(house, made)],
    ['of one’s own account', () => ownAccount(house)],
    ['that takes a company out and in', () => moving(house)],
    ['by the platform’s operators', () => platform(house)],
    ['of money', () => money(house)],
    ['of invoices', () => invoices(house)],
    ['of tariffs and meters', () => tariffs(house, made)],
    ['of SIM cards that are sold', () => cardOrders(house)],
    ['of apps', () => apps(house)],
  ])('%s leaves its line', async (_what, journey) => {
    await journey()
    expect(told()).toEqual([])
  })
  it('that the assistant makes leaves its line', async () => {
    const scripted = await scriptedHouse()
    const token = await scripted.token('owner')
    const changes = await changer(scripted.db, scripted.url, token)
    await assistant(scripted, changes, token)
    for (const name of changes.reached) house.reached.add(name)
    await scripted.close()
    expect(changes.findings).toEqual([])
  })

  it('is one of those above: no route that may change something is left out', () => {
    const missing = [...CHANGES.keys()].filter(name => !house.reached.has(name) && !(name in ELSEWHERE))
    expect(missing).toEqual([])
    expect(Object.keys(ELSEWHERE).filter(name => !CHANGES.has(name) || house.reached.has(name))).toEqual([])
  })
})
