import type { BrandingView } from '@thingwright/contracts/company.contract'
import { lighten } from '@thingwright/contracts/contrast'
import type { MeView } from '@thingwright/contracts/identity.contract'
import { create } from 'zustand'
import { call } from './api-client.ts'
import { useAppearance } from './appearance.ts'
import { locale } from './i18n.ts'
import { useSession } from './session.ts'
import { local } from './storage.ts'
import { TOKENS } from './tokens.ts'

const NONE: BrandingView = { title: '', titleEn: '', logo: '', colour: null }

/** What takes the place of the product's title, mark and colour; empty where the company set nothing. */
export const useBranding = create<BrandingView>(() => local.get('branding')?.branding ?? NONE)

/** The company's title in the shown language, or null for the product's own. */
export function brandTitle(branding: BrandingView): string | null {
  return (locale() === 'en' ? branding.titleEn || branding.title : branding.title || branding.titleEn) || null
}

/** Keeps a company's branding in this browser: its sign-in page shows it the next time. */
export function keepBranding(appId: string, branding: BrandingView): void {
  const before = local.get('branding')
  if (before?.appId === appId && JSON.stringify(before.branding) === JSON.stringify(branding)) return
  local.set('branding', { appId, branding })
  useBranding.setState(branding, true)
  applyBranding()
}

let held = false

/** Looks that stay until the page is left, whoever signs in: those of a portal. */
export function holdBranding(branding: BrandingView): void {
  held = true
  useBranding.setState(branding, true)
}

/** Asks for the branding of the company with this app id. A failure leaves what was there: it is only looks. */
export async function loadBranding(appId: string): Promise<void> {
  try {
    const reply = await fetch(`/api/v1/branding?app=${encodeURIComponent(appId)}`)
    if (reply.ok && !held) keepBranding(appId, (await reply.json()) as BrandingView)
  } catch {
    // Without a network the page has other worries.
  }
}

/** Asks for the looks of an end user's own console, which stay in this browser's memory only. */
export async function loadOwnBranding(): Promise<void> {
  try {
    const { shown } = await call('endUsers.ownBranding')
    if (!held) showBranding(shown)
  } catch {
    // It is only looks.
  }
}

/** Shows looks without keeping them for the next sign-in. */
export function showBranding(branding: BrandingView): void {
  useBranding.setState(branding, true)
  applyBranding()
}

/** Shows the looks of the signed-in person's company, and of the one that the address of the sign-in page names. */
export function followBranding(): void {
  const named = new URLSearchParams(window.location.search).get('company')
  if (named) void loadBranding(named)
  let shown: string | undefined
  const follow = (me: MeView | null) => {
    if (!me) return
    const next = me.endUser ? me.id : me.company.appId
    if (next === shown) return
    shown = next
    void (me.endUser ? loadOwnBranding() : loadBranding(me.company.appId))
  }
  follow(useSession.getState().me)
  useSession.subscribe(({ me }) => follow(me))
}

/** The accent colours of an appearance with the company's colour put in; a lighter shade in the dark, for links. */
export function accent(mode: 'light' | 'dark'): { primary: string; hover: string; link: string; linkHover: string } {
  const t = TOKENS[mode]
  const { colour } = useBranding.getState()
  if (!colour) return { primary: t.primary, hover: t['primary-hover'], link: t.link, linkHover: t['link-hover'] }
  return mode === 'light'
    ? { primary: colour, hover: colour, link: colour, linkHover: colour }
    : { primary: colour, hover: colour, link: lighten(colour, 0.6), linkHover: lighten(colour, 0.72) }
}

/** Writes the company's colour into the document, beside the tokens that `applyTokens` writes. */
export function applyBranding(root: HTMLElement = document.documentElement): void {
  const mode = useAppearance.getState().mode
  const { primary, hover, link, linkHover } = accent(mode)
  root.style.setProperty('--tw-primary', primary)
  root.style.setProperty('--tw-primary-hover', hover)
  root.style.setProperty('--tw-link', link)
  root.style.setProperty('--tw-link-hover', linkHover)
  root.style.setProperty('--tw-primary-soft', `color-mix(in srgb, ${link} ${mode === 'light' ? 8 : 14}%, transparent)`)
}
