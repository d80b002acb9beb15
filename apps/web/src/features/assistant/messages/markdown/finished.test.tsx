// @vitest-environment happy-dom
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { MemoryRouter } from 'react-router'
import { beforeAll, expect, it } from 'vitest'
import { startTexts } from '../../../../lib/testing.ts'
import { Markdown } from './markdown.tsx'

beforeAll(() => startTexts())

it('shows the whole of an answer in the moment in which it counts as finished', () => {
  const place = document.createElement('div')
  const root = createRoot(place)
  const draw = (text: string, arriving: boolean) =>
    flushSync(() =>
      root.render(
        <MemoryRouter>
          <Markdown text={text} arriving={arriving} />
        </MemoryRouter>,
      ),
    )
  draw('The boiler', true)
  draw('The boiler is at 61 °C.', false)
  expect(place.textContent).toBe('The boiler is at 61 °C.')
  root.unmount()
})
