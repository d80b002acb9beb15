/** What a module says of itself to both sides. Plain values that import nothing: the browser reads them too. */
export interface ModuleFacts {
  /** Its own rights, `noun:verb`, in the order in which they are shown. */
  rights?: readonly `${string}:${string}`[]
  /** Rights that no API key can be given, such as changing roles or confirming a second step. */
  notForApiKeys?: readonly string[]
  /** Rights that the administrator does not have either: only the owner has them. */
  ownersOwn?: readonly string[]
  /** Built-in roles that hold some of its rights, beside owner and administrator. */
  roles?: Readonly<Partial<Record<ModuleRole, readonly string[]>>>
  /**
   * Its pages by address, with the built-in roles that see them beside owner and administrator. One that the table of
   * addresses announces is built by this; any other is added to it.
   */
  pages?: Readonly<Record<string, readonly ModuleRole[]>>
  /** Kinds of its objects that the global search finds; each has its noun in the module's words. */
  found?: readonly string[]
  /** Its errors with the status of the answer; their texts stand in the module's words. */
  errors?: Readonly<Record<string, number>>
  /** Its topics of the live socket; `signed-in`: for everybody. */
  live?: readonly { readonly pattern: string; readonly permission: string }[]
}

export type ModuleRole = 'operations' | 'finance' | 'developer' | 'read_only' | 'support'
