// @vitest-environment happy-dom
import { WEB_ROUTES } from '@thingwright/contracts/web-routes'
import { Button } from 'antd'
import { createRoot } from 'react-dom/client'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, it } from 'vitest'
import { useAppearance } from '../lib/appearance.ts'
import { startI18n } from '../lib/i18n.ts'
import { TOKENS } from '../lib/tokens.ts'
import { registerAllTexts } from '../texts.ts'
import { RootLayout } from './layout/root-layout.tsx'

it('draws the pages of a portal in the looks of the console, dark where it is dark', async () => {
  registerAllTexts()
  await startI18n('en')
  useAppearance.setState({ mode: 'dark' })
  const path = '/w/:suffix/*'
  const route = WEB_ROUTES.find(each => each.path === path)
  const router = createMemoryRouter(
    [{ element: <RootLayout />, children: [{ path, handle: { route }, element: <Button>Set</Button> }] }],
    { initialEntries: ['/w/pumps/devices'] },
  )
  createRoot(document.body.appendChild(document.createElement('div'))).render(<RouterProvider router={router} />)
  await expect.poll(() => document.querySelector('button')?.textContent).toBe('Set')
  const rules = [...document.querySelectorAll('style')].map(style => style.textContent).join('\n')
  expect(rules).toContain(`--ant-color-bg-container:${TOKENS.dark.surface}`)
})
