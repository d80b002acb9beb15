/** Topic filter matching (MQTT 3.1.1 §4.7). Wildcards at the first level do not match topics that begin with `$`. */
export function matches(filter: string, topic: string): boolean {
  if (filter === topic) return true
  if (topic.startsWith('$') && (filter.startsWith('+') || filter.startsWith('#'))) return false
  const wanted = filter.split('/')
  const levels = topic.split('/')
  for (let i = 0; i < wanted.length; i++) {
    const level = wanted[i]
    if (level === '#') return true
    if (i >= levels.length || (level !== '+' && level !== levels[i])) return false
  }
  return wanted.length === levels.length
}
