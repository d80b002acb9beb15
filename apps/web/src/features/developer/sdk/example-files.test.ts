import { expect, it } from 'vitest'
import { EXAMPLES, exampleText } from './example-files.ts'

it.each([...new Set(Object.values(EXAMPLES).flat())])('%s is there to be shown', async file => {
  expect((await exampleText(file)).length).toBeGreaterThan(500)
})
