import { PERMISSIONS } from '@thingwright/contracts/permissions'
import { describe, expect, it } from 'vitest'
import { readRight, rightName } from './right-words.ts'

describe('rights in words', () => {
  it.each([
    ['device:delete', 'device:delete'],
    ['删除设备', 'device:delete'],
    ['delete devices', 'device:delete'],
    ['控制设备', 'device:command'],
    ['turn on a device', 'device:command'],
    ['看到操作日志', 'audit:read'],
    ['导出历史数据', 'telemetry:export'],
    ['邀请成员', 'member:write'],
    ['invite people', 'member:write'],
    ['移除成员', 'member:write'],
    ['升级固件', 'firmware:deploy'],
    ['roll out firmware', 'firmware:deploy'],
    ['删除产品', 'product:delete'],
    ['revoke API keys', 'api-key:write'],
    ['新建订阅', 'subscription:write'],
    ['设备', 'device:read'],
    ['make coffee', null],
    ['', null],
  ])('%s is %s', (said, right) => {
    expect(readRight(said)).toBe(right)
  })

  it('has a name in both languages for every right there is', () => {
    for (const right of PERMISSIONS) {
      expect(rightName('zh', right)).not.toContain(right.split(':')[0])
      expect(rightName('zh', right)).toMatch(/[\u4e00-\u9fff]/)
      expect(rightName('en', right)).not.toMatch(/[{}]/)
    }
  })
})
