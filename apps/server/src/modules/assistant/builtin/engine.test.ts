import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { defineTool, type Tool, type ToolClass, type ToolWords } from '../../../lib/tools/tools.ts'
import type { EngineReport, ToolOutcome, ToolRunner, Turn } from '../engine.ts'
import { createBuiltinEngine } from './engine.ts'

/** Tools that are only asked for: what they would do is the runner's business. */
function tool(name: string, toolClass: ToolClass, fields: string[], words: Omit<ToolWords, 'texts'>): Tool {
  const input = Type.Object(
    Object.fromEntries(
      fields.map(field => [
        field,
        Type.Optional(field === 'hours' ? Type.Number() : Type.String({ description: field })),
      ]),
    ),
    { additionalProperties: false },
  )
  const base = { name, description: name, permission: 'device:read' as const, input, words }
  const never = async () => {
    throw new Error('the engine called a tool past its runner')
  }
  return toolClass === 'read'
    ? defineTool({ ...base, class: 'read', run: never })
    : defineTool({ ...base, class: toolClass, prepare: never, finish: never })
}

const TOOLS: readonly Tool[] = [
  tool('list_devices', 'read', ['state', 'product'], {
    title: { zh: '查询设备', en: 'Find devices' },
    phrases: {
      zh: [
        '[现在|当前]有哪些设备{state:离线=offline|在线=online}[了]',
        '(查看|列出)[所有|全部]设备',
        '{product}的设备',
        '{product}的温度计',
      ],
      en: ['which devices are {state:offline|online}', '(list|show) [me] [all] [the] devices'],
    },
  }),
  tool('latest_values', 'read', ['device', 'property'], {
    title: { zh: '查看最新数据', en: 'Latest values' },
    phrases: {
      zh: ['[查看]{device}[现在|当前]的{property}[是多少]', '{device}现在{property}多少'],
      en: ['what is the {property} of {device}', "what is {device}'s {property}"],
    },
  }),
  tool('telemetry_history', 'read', ['device', 'property', 'period'], {
    title: { zh: '查询历史数据', en: 'History of a value' },
    phrases: {
      zh: ['[查看]{device}的{property}{period}的(曲线|历史)', '[查看]{device}的{property}(曲线|历史)'],
      en: ['how did the {property} of {device} develop [over|in] {period}'],
    },
  }),
  tool('message_log', 'read', ['device', 'period'], {
    title: { zh: '消息日志', en: 'Message log' },
    phrases: { zh: ['{device}的消息日志', '{device}{period}的消息日志'], en: ['[show me] the messages of {device}'] },
  }),
  tool('silent_devices', 'read', ['hours'], {
    title: { zh: '沉默的设备', en: 'Silent devices' },
    phrases: { zh: ['超过{hours}小时没有数据的设备'], en: ['devices silent for {hours} hours'] },
  }),
  tool('create_product', 'write', ['name'], {
    title: { zh: '创建产品', en: 'Create a product' },
    phrases: { zh: ['(创建|新建)[一个]产品{name}'], en: ['create [a] product [called] {name}'] },
  }),
  tool('create_device', 'write', ['name', 'product'], {
    title: { zh: '添加设备', en: 'Add a device' },
    phrases: {
      zh: ['(添加|创建)[一台]设备{name}', '给{product}(添加|加)[一台]设备{name}'],
      en: ['add [a] device [called] {name} to {product}', 'add [a] device [called] {name}'],
    },
  }),
  tool('rename_device', 'write', ['device', 'name'], {
    title: { zh: '重命名设备', en: 'Rename a device' },
    phrases: { zh: ['把{device}(改名|重命名)[叫|为]{name}'], en: ['rename {device} to {name}'] },
  }),
]

const NOW = Date.parse('2026-11-25T15:30:00+08:00')

interface Asked {
  used: { name: string; input: unknown }[]
  plans: { tool: string; input: Record<string, unknown> }[][]
  text: string
  cards: { kind: string }[]
  report: EngineReport
}

async function ask(
  question: string,
  options: {
    turn?: Partial<Turn>
    outcome?: (name: string, input: unknown) => ToolOutcome
    offered?: readonly Tool[]
  } = {},
): Promise<Asked> {
  const used: Asked['used'] = []
  const plans: Asked['plans'] = []
  const done: ToolOutcome = { state: 'done', result: { text: 'Here it is.' } }
  const runner: ToolRunner = {
    offered: options.offered ?? TOOLS,
    all: TOOLS,
    async use(name, input) {
      used.push({ name, input })
      return options.outcome?.(name, input) ?? done
    },
    async plan(steps) {
      plans.push([...steps])
      return done
    },
  }
  let text = ''
  const cards: Asked['cards'] = []
  const report = await createBuiltinEngine().answer(
    {
      question,
      locale: /\p{Script=Han}/u.test(question) ? 'zh' : 'en',
      now: NOW,
      timeZone: 'Asia/Shanghai',
      history: [],
      mentions: [],
      waiting: null,
      signal: new AbortController().signal,
      ...options.turn,
    },
    runner,
    {
      text: fragment => {
        text += fragment
      },
      card: card => cards.push(card),
    },
  )
  return { used, plans, text, cards, report }
}

describe('questions that tools answer', () => {
  it.each<[string, string, Record<string, unknown>]>([
    ['请问现在有哪些设备离线了？', 'list_devices', { state: 'offline' }],
    ['Which devices are offline?', 'list_devices', { state: 'offline' }],
    ['Could you please list all the devices', 'list_devices', {}],
    ['帮我查看一下所有设备', 'list_devices', {}],
    ['泵1现在的温度是多少？', 'latest_values', { device: '泵1', property: '温度' }],
    ['麻烦查看 泵 1 的温度', 'latest_values', { device: '泵 1', property: '温度' }],
    ['那它的湿度呢', 'latest_values', { device: '它', property: '湿度' }],
    ['查看泵1的温度最近三天的曲线', 'telemetry_history', { device: '泵1', property: '温度', period: '最近三天' }],
    ['泵1上周的温度曲线', 'telemetry_history', { device: '泵1', property: '温度', period: '上周' }],
    ['超过十二小时没有数据的设备', 'silent_devices', { hours: 12 }],
    ['devices silent for 12h hours', 'silent_devices', { hours: 12 }],
    [
      'How did the pressure of Boiler pump develop over the last 3 days?',
      'telemetry_history',
      { device: 'Boiler pump', property: 'pressure', period: 'the last 3 days' },
    ],
    ['上周泵1的温度曲线', 'telemetry_history', { device: '泵1', property: '温度', period: '上周' }],
    [
      'the messages of Boiler pump from the last hour',
      'message_log',
      { device: 'Boiler pump', period: 'from the last hour' },
    ],
    ['Yesterday, the messages of Boiler pump', 'message_log', { device: 'Boiler pump', period: 'Yesterday' }],
    ['冷库1号的消息日志', 'message_log', { device: '冷库1号' }],
    ['Show me the messages of Boiler pump, and what they mean', 'message_log', { device: 'Boiler pump' }],
    ['the messages of pump 2026', 'message_log', { device: 'pump 2026' }],
    ['能耗仪现在的功率是多少', 'latest_values', { device: '能耗仪', property: '功率' }],
    ['把泵1重命名为“泵 A”', 'rename_device', { device: '泵1', name: '泵 A' }],
    ['create a product called X and Y', 'create_product', { name: 'X and Y' }],
  ])('%s', async (question, name, input) => {
    const { used, plans, text } = await ask(question)
    expect(plans).toEqual([])
    expect(used).toEqual([{ name, input }])
    expect(text).toBe('Here it is.')
  })

  it('keeps what was called for the context of the conversation', async () => {
    const { report } = await ask('Which devices are offline?')
    expect(report.messages).toEqual([
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: expect.any(String), name: 'list_devices', arguments: '{"state":"offline"}' }],
      },
      { role: 'tool', toolCallId: expect.any(String), content: 'Here it is.' },
      { role: 'assistant', content: 'Here it is.' },
    ])
  })

  it('tries the next phrase where nothing is called what the first one takes for a name', async () => {
    const outcome = (name: string): ToolOutcome =>
      name === 'list_devices'
        ? { state: 'problem', text: 'No such product.', notFound: true }
        : { state: 'done', result: { text: 'Here it is.' } }
    const tried = await ask('查看锅炉的温度计', { outcome })
    expect(tried.used.map(({ name }) => name)).toEqual(['list_devices', 'latest_values'])
    expect(tried.text).toBe('Here it is.')
    const refused = await ask('查看锅炉的温度计', { outcome: () => ({ state: 'problem', text: 'You may not.' }) })
    expect(refused.used).toHaveLength(1)
    expect(refused.text).toBe('You may not.')
  })

  it('takes for names only what may be one', async () => {
    expect((await ask('设备密钥在哪里的密钥')).used).toEqual([])
    expect((await ask('rename all devices to P1')).used).toEqual([])
    expect((await ask('rename the boiler pump to “all devices”')).used).toEqual([
      { name: 'rename_device', input: { device: 'boiler pump', name: 'all devices' } },
    ])
  })

  it('asks for the same of another thing or time', async () => {
    const { report } = await ask('查看泵1的温度最近三天的曲线')
    const history = [{ role: 'user' as const, content: '查看泵1的温度最近三天的曲线' }, ...report.messages]
    expect((await ask('那上周呢', { turn: { history } })).used).toEqual([
      { name: 'telemetry_history', input: { device: '泵1', property: '温度', period: '上周' } },
    ])
    expect((await ask('那泵2呢？', { turn: { history } })).used).toEqual([
      { name: 'telemetry_history', input: { device: '泵2', property: '温度', period: '最近三天' } },
    ])
    expect((await ask('what about yesterday?', { turn: { history } })).used).toEqual([
      { name: 'telemetry_history', input: { device: '泵1', property: '温度', period: 'yesterday' } },
    ])
  })
})

it('goes from the latest value to its history when a time is asked for', async () => {
  const { report } = await ask('What is the temperature of Boiler 1?')
  const history = [{ role: 'user' as const, content: 'What is the temperature of Boiler 1?' }, ...report.messages]
  const input = { device: 'Boiler 1', property: 'temperature' }
  expect((await ask('And yesterday?', { turn: { history } })).used).toEqual([
    { name: 'telemetry_history', input: { ...input, period: 'yesterday' } },
  ])
  expect((await ask('What about Boiler 2?', { turn: { history } })).used).toEqual([
    { name: 'latest_values', input: { ...input, device: 'Boiler 2' } },
  ])
})

describe('answers to questions of ours', () => {
  const waiting = {
    tool: 'rename_device',
    input: { name: 'P1' },
    field: 'device',
    options: [
      { label: 'Boiler pump', value: 'id-1' },
      { label: 'Line 3 pump', value: 'id-2' },
    ],
  }

  it.each([
    ['2', 'id-2'],
    ['第二个', 'id-2'],
    ['the second one', 'id-2'],
    ['the last one', 'id-2'],
    ['Boiler pump', 'id-1'],
    ['boiler', 'id-1'],
    ['选1', 'id-1'],
  ])('%s', async (answer, device) => {
    const { used } = await ask(answer, { turn: { waiting } })
    expect(used).toEqual([{ name: 'rename_device', input: { name: 'P1', device } }])
  })

  it('takes what was not offered as it was said', async () => {
    const { used } = await ask('Roof sensor', { turn: { waiting } })
    expect(used).toEqual([{ name: 'rename_device', input: { name: 'P1', device: 'Roof sensor' } }])
  })

  it('does not take another question for an answer', async () => {
    expect((await ask('Which devices are offline?', { turn: { waiting } })).used[0]?.name).toBe('list_devices')
    expect((await ask('算了', { turn: { waiting } })).used).toEqual([])
  })

  it('says a question that has no choices, and waits for its answer', async () => {
    const outcome = (): ToolOutcome => ({
      state: 'question',
      text: 'Which device?',
      waiting: { tool: 'rename_device', input: { name: 'P1' }, field: 'device', options: [] },
    })
    const { text, report } = await ask('rename it to P1', { outcome })
    expect(text).toBe('Which device?')
    expect(report.waiting?.field).toBe('device')
  })
})

describe('several steps', () => {
  it.each<[string, { tool: string; input: Record<string, unknown> }[]]>([
    [
      '创建产品 温室传感器，然后添加设备 GH-001',
      [
        { tool: 'create_product', input: { name: '温室传感器' } },
        { tool: 'create_device', input: { name: 'GH-001', product: '$1.id' } },
      ],
    ],
    [
      '创建产品河道水位计，然后给它添加一台设备一号桥',
      [
        { tool: 'create_product', input: { name: '河道水位计' } },
        { tool: 'create_device', input: { name: '一号桥', product: '$1.id' } },
      ],
    ],
    [
      'Create product Weather and then add a device called W1 to it',
      [
        { tool: 'create_product', input: { name: 'Weather' } },
        { tool: 'create_device', input: { name: 'W1', product: '$1.id' } },
      ],
    ],
    [
      'create product Weather, add device W1 to Weather and add device W2 to Weather',
      [
        { tool: 'create_product', input: { name: 'Weather' } },
        { tool: 'create_device', input: { name: 'W1', product: '$1.id' } },
        { tool: 'create_device', input: { name: 'W2', product: '$1.id' } },
      ],
    ],
    [
      'rename pump to P1 then add device P2 to Pumps',
      [
        { tool: 'rename_device', input: { device: 'pump', name: 'P1' } },
        { tool: 'create_device', input: { name: 'P2', product: 'Pumps' } },
      ],
    ],
  ])('%s', async (question, steps) => {
    const { plans, used } = await ask(question)
    expect(used).toEqual([])
    expect(plans).toEqual([steps])
  })

  it('does nothing when it understands only a part', async () => {
    const { plans, used, text } = await ask('create product X, then paint the wall blue')
    expect([...plans, ...used]).toEqual([])
    expect(text).toContain('paint the wall blue')
  })

  it('stops where a look-up fails', async () => {
    const { used, text } = await ask('list all devices, then create product X', {
      outcome: () => ({ state: 'problem', text: 'Not now.' }),
    })
    expect(used.map(({ name }) => name)).toEqual(['list_devices'])
    expect(text).toContain('create product X')
  })
})

describe('what needs no tool', () => {
  it.each([
    '你能做什么？',
    '你可以帮我做什么',
    'What can you do?',
    'what can the assistant do',
    '你有什么功能',
    'help',
  ])('tells what it can: %s', async question => {
    const { text, cards } = await ask(question)
    expect(text).toContain(`**${TOOLS.length}**`)
    expect(text).toMatch(/查询设备|Find devices/)
    expect(cards.map(({ kind }) => kind)).toEqual(['choices'])
  })

  it.each(['有哪些可用的工具？', '有什么工具可以用', 'What tools are available?', 'list all available tools'])(
    'lists the tools: %s',
    async question => {
      const { cards, text } = await ask(question, { offered: TOOLS.slice(0, 2) })
      expect(cards).toMatchObject([{ kind: 'table', total: 2 }])
      // In one sentence first: how many in which area.
      expect(text).toMatch(/^按领域：.*\d+ 个。|^By area: .*\d\./)
    },
  )

  it.each([
    '帮我删除所有设备',
    '删除全部设备',
    '请帮我把所有设备都删掉',
    '清空所有的设备',
    'delete all devices',
    'please remove all my devices',
    'Can you erase every device?',
  ])('says what deleting everything would concern, and where it is done: %s', async question => {
    const outcome = (): ToolOutcome => ({ state: 'done', result: { text: '', data: { total: 42 } } })
    const { cards, text, used } = await ask(question, { outcome })
    expect(used).toEqual([{ name: 'count_devices', input: {} }])
    expect(text).toContain('**42**')
    expect(cards).toMatchObject([{ kind: 'links', items: [{ to: '/manage/device' }] }])
  })

  it.each(['如何添加设备？', '怎么添加设备', 'How do I add a device?', 'how to add a new device'])(
    'tells how to add a device: %s',
    async question => {
      const { text, cards, used } = await ask(question)
      expect(used).toEqual([])
      expect(text).toMatch(/1\. /)
      expect(cards).toMatchObject([{ kind: 'links', items: [{ to: '/manage/device' }, { to: '/manage/product' }] }])
    },
  )

  it('greets in the language of the question', async () => {
    expect((await ask('你好')).text).toContain('您好')
    expect((await ask('Hello!')).text).toContain('Hello')
  })

  it('knows error codes and messages', async () => {
    expect((await ask('formats 报错 format.samples_failed 是什么意思')).text).toContain('format.samples_failed')
    expect((await ask('设备不存在')).text).toContain('device.not_found')
    expect((await ask('what does quota.exceeded mean?')).text).toContain('quota.exceeded')
  })

  it.each(['Can you write me a poem about the sea?', '今天天气怎么样', '帮我订一张机票'])(
    'is honest: %s',
    async question => {
      const { text, used } = await ask(question)
      expect(used).toEqual([])
      expect(text).toMatch(/不想猜测|rather not guess/)
    },
  )

  it('offers what is near', async () => {
    const { cards, used } = await ask('我想给设备换一个名字，重命名')
    expect(used).toEqual([])
    expect(JSON.stringify(cards)).toContain('重命名设备')
  })

  it('takes the title of a tool that it offered', async () => {
    expect((await ask('重命名设备')).used).toEqual([{ name: 'rename_device', input: {} }])
  })
})

it('stops when the reply is stopped', async () => {
  const stop = new AbortController()
  stop.abort()
  await expect(ask('你能做什么', { turn: { signal: stop.signal } })).rejects.toThrow()
})
