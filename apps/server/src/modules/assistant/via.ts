/** The operation log shows by which way a change came. */
export function viaAssistant(userAgent: string | undefined): string {
  return `Thingwright assistant${userAgent ? ` · ${userAgent}` : ''}`.slice(0, 300)
}
