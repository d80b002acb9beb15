import { describe, expect, it } from 'vitest'
import { writtenName } from './written-name.ts'

describe('a name as it is kept', () => {
  it.each([
    ['  pump 3 ', 'pump 3'],
    ['\u3000水泵\u00a0', '水泵'],
    ['\u200bpump\ufeff', 'pump'],
    ['pump\t', 'pump'],
    ['\r\npump\r\n', 'pump'],
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['👩\u200d🔧', '👩\u200d🔧'],
    ['   ', ''],
    ['\u200b\u200d\u2060', ''],
    ['\u3164', ''],
    ['\u00ad\u00ad', ''],
  ])('%j is kept as %j', (written, kept) => expect(writtenName(written)).toBe(kept))

  it.each(['a\nb', 'a\tb', 'a\u0007b', 'a\u202eb', 'a\u2028b', 'a\u0085b'])('%j is refused', written =>
    expect(writtenName(written)).toBeNull(),
  )
})
