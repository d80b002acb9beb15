/** Topics that a user name may use: those of a device (`PRODUCT/DEVICE`) or of a data subscription (`sub/{id}`). */
export function suggestedTopics(username: string): { subscribe: string; publish: string } {
  const name = username.trim()
  const subscription = /^sub\/([\w-]+)$/.exec(name)?.[1]
  if (subscription) return { subscribe: `subscriptions/${subscription}/#`, publish: '' }
  if (!/^[^/\s+#]+\/[^/\s+#]+$/.test(name)) return { subscribe: '', publish: '' }
  return { subscribe: `things/${name}/#`, publish: `things/${name}/property/post` }
}
