import { expect, it } from 'vitest'
import { createNews } from './news.ts'

it('tells everybody who hears of it, in the order in which they came', () => {
  const news = createNews(error => {
    throw error
  })
  const heard: string[] = []
  news.hear({ 'company.changed': ({ tenantId }) => void heard.push(`first ${tenantId}`) })
  news.hear({ 'menu.changed': () => void heard.push('menu') })
  news.hear({ 'company.changed': ({ tenantId }) => void heard.push(`second ${tenantId}`) })
  news.tell('company.changed', { tenantId: 'a' })
  expect(heard).toEqual(['first a', 'second a'])
})

it('goes on after a listener that fails, and says so', () => {
  const failures: string[] = []
  const news = createNews(error => void failures.push(error.message))
  const heard: string[] = []
  news.hear({
    'menu.changed': () => {
      throw new Error('not now')
    },
  })
  news.hear({ 'menu.changed': () => void heard.push('menu') })
  news.tell('menu.changed', {})
  expect({ heard, failures }).toEqual({ heard: ['menu'], failures: ['not now'] })
})
