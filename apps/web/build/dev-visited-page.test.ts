import { expect, it } from 'vitest'
import { devVisitedPage } from './dev-visited-page.ts'

it('serves the program of published pages at their addresses, and leaves the console its own', () => {
  const steps: ((request: { url: string }, response: object, next: () => void) => void)[] = []
  const configure = devVisitedPage().configureServer as unknown as (server: object) => void
  configure({ middlewares: { use: (step: (typeof steps)[number]) => steps.push(step) } })
  const served = (url: string) => {
    const request = { url }
    let passed = 0
    for (const step of steps) step(request, {}, () => passed++)
    expect(passed).toBe(steps.length)
    return request.url
  }
  expect(served('/page/demo-energy')).toBe('/page.html')
  expect(served('/page/demo-energy?fit=width')).toBe('/page.html')
  for (const other of ['/page/x', '/pages', '/manage/device', '/page/demo/more', '/src/main.tsx'])
    expect(served(other)).toBe(other)
})
