// @vitest-environment happy-dom
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const source = readFileSync(join(import.meta.dirname, 'early.js'), 'utf8')

it('asks for a style sheet as the bundler’s own link does, so that it is fetched once', () => {
  document.documentElement.innerHTML = `<head><script type="application/json" id="tw-plan">${JSON.stringify({
    auth: false,
    files: ['/assets/page.js', '/assets/page.css'],
    zh: { files: [] },
    en: { files: [] },
  })}</script></head><body></body>`
  new Function(source)()
  const links = [...document.head.querySelectorAll('link')].map(link =>
    ['rel', 'as', 'href', 'crossorigin'].map(name => link.getAttribute(name)),
  )
  expect(links).toEqual([
    ['modulepreload', null, '/assets/page.js', null],
    ['preload', 'style', '/assets/page.css', 'anonymous'],
  ])
})
