/** What a list draws of the tabs that it stands under. */
export interface ListTabs {
  items: { key: string; label: string }[]
  active: string
  onChange: (key: string) => void
}
