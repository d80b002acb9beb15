import { expect, it } from 'vitest'
import { ERROR_TEXTS, errorText } from './i18n.ts'

it('says states and reasons of errors in words of the language', () => {
  const params = { state: 'completed', wanted: 'pending | faulted' }
  expect(errorText('zh', 'order.state', params)).toBe('订单状态为“已完成”，不能执行该操作（需要：待支付 / 处理异常）')
  expect(errorText('en', 'order.state', params)).toContain('completed; this needs: awaiting payment / failed')
  expect(errorText('zh', 'import.file_invalid', { reason: 'xls' })).toContain('（旧版 .xls 格式，或设有打开密码）')
  expect(errorText('en', 'import.file_invalid', { reason: 'empty' })).toContain('(it is empty)')
})

it('keeps what has no words, and leaves out what is not given', () => {
  expect(errorText('en', 'order.state', { state: 'unheard_of' })).toContain('is unheard_of; this needs: ')
  const text = ERROR_TEXTS.en['units.insufficient']!
  expect(errorText('en', 'units.insufficient', { left: 'paid | closed', needed: 3 })).toBe(
    text.replace('{left}', 'paid | closed').replace('{needed}', '3'),
  )
})
