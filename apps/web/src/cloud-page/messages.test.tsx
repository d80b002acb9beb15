// @vitest-environment happy-dom
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, expect, it, vi } from 'vitest'
import { Messages, useMessages } from './messages.tsx'
import type { PageMessage } from './socket.ts'

vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
afterEach(() => document.body.replaceChildren())

/** A page that shows messages. */
function open(language: 'zh' | 'en') {
  let add: (message: PageMessage) => void = () => undefined
  function Page() {
    const found = useMessages(language)
    add = found.add
    return <Messages messages={found.messages} language={language} onClose={found.close} />
  }
  const root = document.body.appendChild(document.createElement('div'))
  act(() => createRoot(root).render(<Page />))
  return {
    root,
    say: (message: PageMessage) => act(() => add(message)),
    close: (at: number) => act(() => root.querySelectorAll('button')[at]!.click()),
  }
}

it.each([
  ['zh', '关闭'],
  ['en', 'Close'],
] as const)('shows what triggers say with the sign of its level until it is closed, in %s', (language, close) => {
  const page = open(language)
  expect(page.root.textContent).toBe('')
  page.say({ kind: 'popup', text: '<b>Too warm</b>', level: 4 })
  page.say({ kind: 'speak', text: 'Door open', level: 0 })
  expect(page.root.querySelector('[role="alert"]')?.textContent).toBe(`!<b>Too warm</b>${close}Door open${close}`)
  expect(page.root.querySelectorAll('svg')).toHaveLength(1)
  page.close(0)
  expect(page.root.textContent).toBe(`Door open${close}`)
})

it('keeps the last five, so that a storm does not cover the page', () => {
  const page = open('en')
  for (let n = 1; n <= 8; n++) page.say({ kind: 'popup', text: `alarm ${n}`, level: 3 })
  expect([...page.root.querySelectorAll('p')].map(({ textContent }) => textContent)).toEqual(
    [4, 5, 6, 7, 8].map(n => `alarm ${n}`),
  )
})
