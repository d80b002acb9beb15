import type { WechatMenu } from '@thingwright/contracts/wechat-followers.contract'
import { AppError } from '../../lib/errors.ts'

/** Bytes of a name of a button, and of an entry below one (WeChat counts UTF-8). */
const BUTTON_BYTES = 16
const ENTRY_BYTES = 60

type Entry = { name: string; type: 'view' | 'click'; value: string }

/** A menu as WeChat takes it. @throws AppError wechat_menu.invalid naming the button, before WeChat is asked */
export function toWechatMenu(menu: WechatMenu): object {
  const refused = (name: string, why: 'name' | 'address' | 'text' | 'empty') =>
    new AppError('wechat_menu.invalid', { params: { name, why } })
  const entryOf = ({ name, type, value }: Entry) => {
    if (type === 'view') {
      if (!/^https?:\/\/\S+$/.test(value)) throw refused(name, 'address')
      return { type: 'view', name, url: value }
    }
    if (value.trim() === '' || Buffer.byteLength(value) > 128) throw refused(name, 'text')
    return { type: 'click', name, key: value }
  }
  return {
    button: menu.buttons.map(({ name, type, value, entries }) => {
      if (Buffer.byteLength(name) > BUTTON_BYTES) throw refused(name, 'name')
      if (type !== 'group') return entryOf({ name, type, value })
      if (entries.length === 0) throw refused(name, 'empty')
      for (const entry of entries) if (Buffer.byteLength(entry.name) > ENTRY_BYTES) throw refused(entry.name, 'name')
      return { name, sub_button: entries.map(entryOf) }
    }),
  }
}
