import type { ChatMessage, ChatRequest } from './turns.ts'

/** What providers refuse, in one place; written from their documentation. @returns what is wrong, nothing when it is right */
export function faultsOf(body: unknown): string[] {
  const faults: string[] = []
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return ['the body is no object']
  const request = body as ChatRequest
  if (typeof request.model !== 'string' || request.model === '') faults.push('model is missing')
  if (request.stream !== true) faults.push('stream is not asked for')
  number(request.temperature, 'temperature', 0, 2)
  number(request.max_tokens, 'max_tokens', 1, 1_000_000)
  number(request.max_completion_tokens, 'max_completion_tokens', 1, 1_000_000)
  if (request.tools !== undefined) tools(request.tools)
  else if (request.tool_choice !== undefined) faults.push('tool_choice without tools')
  if (Array.isArray(request.messages) && request.messages.length > 0) messages(request.messages)
  else faults.push('messages are missing')
  return faults

  function number(value: unknown, name: string, least: number, most: number): void {
    if (value === undefined) return
    if (typeof value !== 'number' || !(value >= least && value <= most))
      faults.push(`${name} is not ${least} to ${most}`)
  }

  function tools(list: NonNullable<ChatRequest['tools']>): void {
    if (!Array.isArray(list) || list.length === 0) return void faults.push('tools is an empty list')
    if (list.length > 128) faults.push(`${list.length} tools, at most 128`)
    const names = new Set<string>()
    for (const { type, function: tool } of list) {
      const name = tool?.name ?? ''
      if (type !== 'function') faults.push(`tool ${name} is no function`)
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) faults.push(`tool name ${JSON.stringify(name)}`)
      if (names.has(name)) faults.push(`tool ${name} twice`)
      names.add(name)
      if (typeof tool?.description !== 'string' || tool.description.length > 1024)
        faults.push(`description of ${name} is missing or longer than 1024`)
      const parameters = tool?.parameters as { type?: unknown } | undefined
      if (parameters?.type !== 'object') faults.push(`parameters of ${name} are no object`)
      schema(parameters, name, 0)
    }
  }

  function schema(value: unknown, at: string, depth: number): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return void faults.push(`${at}: no schema`)
    if (depth > 10) return void faults.push(`${at}: too deep`)
    const { type, properties, required, items, anyOf, enum: words } = value as Record<string, unknown>
    const known = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']
    for (const one of Array.isArray(type) ? type : [type])
      if (one !== undefined && !known.includes(one as string)) faults.push(`${at}: type ${JSON.stringify(one)}`)
    if (words !== undefined && (!Array.isArray(words) || words.length === 0)) faults.push(`${at}: an empty enum`)
    if (type === 'array' && items === undefined) faults.push(`${at}: an array of nothing`)
    if (items !== undefined) schema(items, `${at}[]`, depth + 1)
    for (const [n, one] of (Array.isArray(anyOf) ? anyOf : []).entries()) schema(one, `${at}|${n}`, depth + 1)
    const fields = Object.entries((properties as object | undefined) ?? {})
    for (const [name, one] of fields) schema(one, `${at}.${name}`, depth + 1)
    for (const name of Array.isArray(required) ? required : [])
      if (!fields.some(([field]) => field === name)) faults.push(`${at}: requires ${name}, which it does not have`)
  }

  function messages(list: readonly ChatMessage[]): void {
    let open = new Set<string>()
    list.forEach((message, at) => {
      const { role, content, tool_calls, tool_call_id } = message
      const place = `message ${at} (${role})`
      if (role !== 'tool' && open.size > 0) {
        faults.push(`${place}: ${open.size} tool calls were not answered`)
        open = new Set()
      }
      if (role === 'system' && at > 0) faults.push(`${place}: not at the beginning`)
      if (role === 'tool') {
        if (!tool_call_id || !open.delete(tool_call_id)) faults.push(`${place}: answers no call`)
        if (typeof content !== 'string') faults.push(`${place}: no text`)
      } else if (role === 'assistant') {
        if (tool_calls !== undefined && tool_calls.length === 0) faults.push(`${place}: an empty list of calls`)
        if (content === null && !tool_calls) faults.push(`${place}: neither text nor calls`)
        for (const call of tool_calls ?? []) {
          if (!call.id || open.has(call.id)) faults.push(`${place}: a call without an id of its own`)
          if (typeof call.function?.name !== 'string' || typeof call.function.arguments !== 'string')
            faults.push(`${place}: a call without name or arguments`)
          open.add(call.id ?? '')
        }
      } else if (role !== 'system' && role !== 'user') faults.push(`${place}: unknown role`)
      else if (typeof content !== 'string' || content === '') faults.push(`${place}: no text`)
    })
    if (open.size > 0) faults.push(`the end: ${open.size} tool calls were not answered`)
    const last = list.at(-1)?.role
    if (last !== 'user' && last !== 'tool') faults.push(`the last message is of ${last}`)
  }
}
