// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { company, page } from './testing/company.ts'
import { fill, named, press } from './testing/hands.ts'
import { type Answers, openConsole, refusal } from './testing/open-console.tsx'

const LIST = 'GET /api/v1/contacts'
const RECORDS = 'GET /api/v1/notification-records'
const AT = '2026-01-01T00:00:00.000Z'
const contact = {
  id: '1',
  name: 'North',
  email: 'north@example.com',
  phone: null,
  phoneVerifiedAt: null,
  wechatOpenid: null,
  escalationOnly: false,
  quiet: null,
  perHour: null,
  locale: 'en',
  minLevel: 3,
  enabled: true,
  verifiedAt: null,
  version: 1,
  createdAt: AT,
}
const record = {
  id: '2',
  alarmId: '3',
  triggerName: 'Too hot',
  level: 4,
  deviceName: 'Boiler',
  contactId: '1',
  contactName: 'North',
  channel: 'email',
  channelId: null,
  kind: 'raised',
  step: 0,
  title: null,
  content: null,
  receipt: null,
  receiptReason: null,
  receiptAt: null,
  cost: 0,
  simulated: false,
  address: 'north@example.com',
  state: 'failed',
  attempts: 5,
  merged: false,
  maybeTwice: true,
  reason: '550 no mailbox',
  sentAt: null,
  createdAt: AT,
}

describe('the page of alarm notifications', () => {
  it('shows contacts and whether they are verified', async () => {
    const opened = await openConsole('/admin/alarme', { ...company, [LIST]: () => page([contact]) })
    await expect.poll(opened.text).toContain('north@example.com')
    expect(opened.text()).toContain('Not verified')
  })

  it('shows what was sent, and why not', async () => {
    const opened = await openConsole('/admin/alarme?tab=records', { ...company, [RECORDS]: () => page([record]) })
    await expect.poll(opened.text).toContain('550 no mailbox')
    expect(opened.text()).toContain('Alarm: Too hot (Boiler)')
    expect(opened.text()).toContain('may have arrived twice')
  })

  it('shows the words of messages, and how they read for the newest alarm', async () => {
    const template = {
      channel: 'sms',
      event: 'raised',
      locale: 'en',
      subject: '',
      body: 'Alarm at the boiler',
      code: '',
      approval: 'none',
      approvalReason: null,
      version: 0,
      changedAt: null,
    }
    const opened = await openConsole('/admin/alarme?tab=templates', {
      ...company,
      'GET /api/v1/notification-templates': () => ({ items: [template] }),
      'POST /api/v1/notification-templates/preview': () => ({ subject: '', text: 'Too hot', parts: 1, sample: false }),
      'GET /api/v1/notification-channels': () => page([]),
    })
    await expect.poll(opened.text).toContain('Alarm at the boiler')
    expect(opened.text()).toContain('Built in')
  })

  describe('of the mini-program', () => {
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables of messages
    const words = {
      channel: 'applet',
      event: 'raised',
      locale: 'en',
      subject: '',
      body: 'thing1=${trigger}\nthing2=${device}',
      code: '',
      approval: 'none',
      approvalReason: null,
      version: 0,
      changedAt: null,
    }
    const fields = [
      { key: 'thing1', name: 'Alarm' },
      { key: 'time3', name: 'Time' },
    ]
    const saved: unknown[] = []
    const answers: Answers = {
      ...company,
      'GET /api/v1/notification-templates': () => ({ items: [words] }),
      'POST /api/v1/notification-templates/preview': () => ({
        subject: '',
        text: 'Too hot',
        parts: null,
        sample: false,
      }),
      'GET /api/v1/notification-channels': () => page([]),
      'PUT /api/v1/notification-templates/applet/raised/en': (_, body) => {
        saved.push(body)
        return { ...words, version: 1 }
      },
      'GET /api/v1/wechat-applets': () => ({ items: [{ id: 'a1', state: 'authorized' }], platform: {} }),
      'GET /api/v1/wechat-applets/a1/message-templates': () => ({
        items: [{ id: 'SUB-1', title: 'Device alarm', fields }],
      }),
    }
    const open = async (given: Answers) => {
      const opened = await openConsole('/admin/alarme?tab=templates', given)
      await expect.poll(() => named('View and edit')).not.toBeNull()
      press(named('View and edit'))
      return opened
    }

    it('take a template that WeChat names, with lines for its fields', async () => {
      await open(answers)
      await expect.poll(() => document.querySelector('.ant-select [aria-label="Template code"]')).toBeTruthy()
      document
        .querySelector('.ant-select [aria-label="Template code"]')!
        .dispatchEvent(new MouseEvent('mousedown', { bubbles: true }))
      const option = () =>
        [...document.querySelectorAll<HTMLElement>('.ant-select-item-option')].find(item =>
          item.textContent?.includes('Device alarm'),
        )
      await expect.poll(option).toBeTruthy()
      option()!.click()
      const text = () => [...document.querySelectorAll('textarea')].map(({ value }) => value)
      await expect.poll(text).toContain('thing1=${trigger}\ntime3=${time}')
      press(named('Save'))
      await expect.poll(() => saved).toMatchObject([{ code: 'SUB-1', body: 'thing1=${trigger}\ntime3=${time}' }])
    })

    it('say which lines do not belong to the template, and let the id be typed when WeChat says nothing', async () => {
      const set = { ...words, code: 'SUB-1' }
      const opened = await open({ ...answers, 'GET /api/v1/notification-templates': () => ({ items: [set] }) })
      await expect.poll(opened.text).toContain('Fields without a line: time3. Lines without a field: thing2.')
      const silent = await open({
        ...answers,
        'GET /api/v1/wechat-applets/a1/message-templates': () => refusal(502, 'wechat.failed'),
      })
      await expect.poll(silent.text).toContain('WeChat did not name its templates')
      fill(named('Template code', 'input'), 'SUB-typed')
      await expect.poll(() => (named('Save') as HTMLButtonElement | null)?.disabled).toBe(false)
    })
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: variables of messages
  })

  it('shows presets of triggers, and applies nothing for who may only read', async () => {
    const preset = {
      id: '4',
      name: 'Cold rooms',
      note: 'for new sites',
      triggers: [
        { name: 'Door open', kind: 'on', property: 'door' },
        { name: 'Too warm', kind: 'above', property: 'temperature', high: -15 },
      ],
      version: 1,
      createdAt: AT,
    }
    const answers = { ...company, 'GET /api/v1/trigger-presets': () => page([preset]) }
    const opened = await openConsole('/admin/alarme?tab=presets', answers)
    await expect.poll(opened.text).toContain('Cold rooms')
    expect(opened.text()).toContain('2 · Door open, Too warm')
    expect(opened.text()).toContain('Apply')
    const reader = await openConsole('/admin/alarme?tab=presets', answers, ['contact:read', 'trigger:read'])
    await expect.poll(reader.text).toContain('Cold rooms')
    expect(reader.text()).not.toContain('Apply')
    const empty = await openConsole('/admin/alarme?tab=presets', {
      ...company,
      'GET /api/v1/trigger-presets': () => page([]),
    })
    await expect.poll(empty.text).toContain('No presets yet')
  })

  it('says that there is nothing, and asks nothing of who may not read', async () => {
    const empty = await openConsole('/admin/alarme', { ...company, [LIST]: () => page([]) })
    await expect.poll(empty.text).toContain('No contacts yet')
    const forbidden = await openConsole('/admin/alarme', { ...company, [LIST]: () => page([contact]) }, [
      'product:read',
    ])
    await expect.poll(forbidden.text).toContain('contact:read')
    expect(forbidden.requests.filter(request => request.includes('/contacts'))).toEqual([])
  })
})
