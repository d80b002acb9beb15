// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { company, page } from './testing/company.ts'
import { openConsole } from './testing/open-console.tsx'

const AT = '2026-01-01T00:00:00.000Z'
const CHANNEL = {
  id: 'c1',
  source: 'ezviz',
  accountId: 'a1',
  accountName: 'North',
  serial: 'D10000000',
  channelNo: 1,
  name: 'Gate',
  model: 'CS-C6N',
  state: 'offline',
  encrypted: true,
  hasCode: false,
  armed: true,
  streamUrl: null,
  deviceId: 'd1',
  deviceName: 'Boiler',
  snapshotAt: null,
  cover: null,
  syncedAt: AT,
  version: 1,
  createdAt: AT,
}
const ACCOUNT = {
  id: 'a1',
  name: 'North',
  appKey: 'a0b1',
  baseUrl: 'https://open.ys7.com',
  simulated: true,
  state: 'failed',
  fault: { code: '10030', text: 'appkey和appsecret不匹配' },
  tokenExpiresAt: null,
  testedAt: AT,
  syncedAt: null,
  channels: 1,
  version: 1,
}
const routes = (channels: object[], accounts: object[] = [ACCOUNT]) => ({
  ...company,
  'GET /api/v1/video/channels': () => page(channels),
  'GET /api/v1/video/channels/counts': () => ({ total: channels.length, online: 0, offline: 1, bound: 1 }),
  'GET /api/v1/video/channels/c1': () => CHANNEL,
  'GET /api/v1/video/channels/c1/presets': () => ({ items: [{ id: 'p1', index: 1, name: 'Door' }] }),
  'GET /api/v1/video/accounts': () => ({ items: accounts }),
})

describe('the page of cameras', () => {
  it('lists cameras with their states, marks and devices', async () => {
    const opened = await openConsole('/manage/ezviz', routes([CHANNEL]))
    for (const text of ['Gate', 'D10000000', 'Offline', 'Boiler', 'Armed', 'Code missing', '1 offline'])
      await expect.poll(opened.text).toContain(text)
  })

  it('shows the newest picture of each camera, with the person’s token, and a dash where there is none', async () => {
    const bare = { ...CHANNEL, id: 'c2', name: 'Yard' }
    const opened = await openConsole('/manage/ezviz', {
      ...routes([{ ...CHANNEL, cover: 's1' }, bare]),
      'GET /api/v1/video/snapshots/s1/picture': () =>
        new Response(Uint8Array.of(0xff, 0xd8, 0xff), { headers: { 'content-type': 'image/jpeg' } }),
    })
    const covers = () => [...document.querySelectorAll<HTMLElement>('[aria-label^="Last picture of"]')]
    await expect.poll(() => covers().map(each => each.getAttribute('aria-label'))).toEqual(['Last picture of Gate'])
    await expect.poll(() => covers()[0]?.querySelector('img')?.getAttribute('src')).toMatch(/^blob:/)
    expect(opened.requests.filter(request => request.includes('/picture'))).toHaveLength(1)
  })

  it('opens a camera from its address; one that is offline is not asked for a picture', async () => {
    const opened = await openConsole('/manage/ezviz?channel=c1', routes([CHANNEL]))
    for (const text of ['The camera is offline', 'PTZ', 'Door', 'Playback'])
      await expect.poll(() => document.body.textContent).toContain(text)
    expect(opened.requests.filter(request => request.includes('/live'))).toEqual([])
  })

  it('says what to do where no account is connected', async () => {
    const opened = await openConsole('/manage/ezviz', routes([], []))
    await expect.poll(opened.text).toContain('No EZVIZ account connected')
  })

  it('keeps the cameras of the split screen in its address', async () => {
    const opened = await openConsole('/manage/ezviz?tab=wall&screens=1&show=c1', routes([CHANNEL]))
    for (const text of ['Gate', 'The camera is offline', '9 screens']) await expect.poll(opened.text).toContain(text)
  })

  it('asks nothing of who may not read', async () => {
    const forbidden = await openConsole('/manage/ezviz', routes([CHANNEL]), ['product:read'])
    await expect.poll(forbidden.text).toContain('video:read')
    expect(forbidden.requests.filter(request => request.includes('/api/v1/video'))).toEqual([])
  })
})
