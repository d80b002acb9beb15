// @vitest-environment happy-dom
import { expect, it } from 'vitest'
import { company, page } from './testing/company.ts'
import { openConsole } from './testing/open-console.tsx'

const material = {
  id: '7',
  name: 'his-pump.png',
  kind: 'image',
  contentType: 'image/png',
  size: 100,
  width: 1,
  height: 1,
  folderId: null,
  tags: [],
  public: false,
  uses: 0,
  sha256: '00',
  url: '/media/7?e=1&s=x',
  thumbUrl: null,
  publicUrl: null,
  createdBy: 'north',
  version: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}
const answers = {
  ...company,
  'GET /api/v1/media': () => page([material]),
  'GET /api/v1/media-folders': () => ({ items: [], rootCount: 1 }),
  'GET /api/v1/media/usage': () => ({ usedBytes: 100, quotaBytes: 1_048_576, count: 1, kinds: [], tags: [] }),
}

it('shows the materials of an end user by name, and takes no uploads there', async () => {
  const opened = await openConsole('/admin/material?userId=9', answers)
  await expect.poll(opened.text).toContain('his-pump.png')
  const asked = opened.requests.filter(request => request.includes('/api/v1/media'))
  expect(asked.length).toBeGreaterThan(2)
  expect(asked.filter(request => !request.includes('userId=9'))).toEqual([])
  expect(opened.text()).not.toContain('Upload media files')
})

it('takes uploads among the own ones', async () => {
  const opened = await openConsole('/admin/material', answers)
  await expect.poll(opened.text).toContain('Upload media files')
  expect(opened.requests.filter(request => request.includes('userId'))).toEqual([])
})
