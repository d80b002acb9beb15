import { type ThemeConfig, theme } from 'antd'
import { accent } from '../lib/branding.ts'
import type { Appearance } from '../lib/storage.ts'
import { TOKENS } from '../lib/tokens.ts'

/** The stack of the language: see base.css. */
export const FONT = 'var(--tw-font)'
export const MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Noto Sans Mono CJK SC", monospace'

/**
 * The component library in our colours. Its defaults that fail contrast are corrected (secondary and placeholder
 * text), links follow our link colour (the library keeps its own blue otherwise), and the selected menu item stays
 * readable in the dark. `still`: without movement, for people who asked their system for that.
 */
export function antdTheme(mode: Appearance, still = false): ThemeConfig {
  const t = TOKENS[mode]
  const { primary, hover, link, linkHover } = accent(mode)
  const dark = mode === 'dark'
  return {
    algorithm: dark ? theme.darkAlgorithm : theme.defaultAlgorithm,
    cssVar: { key: 'tw' },
    hashed: false,
    token: {
      colorPrimary: primary,
      colorInfo: primary,
      colorLink: link,
      colorPrimaryHover: hover,
      colorPrimaryActive: hover,
      colorLinkHover: linkHover,
      colorSuccess: t.success,
      colorWarning: t.warning,
      colorError: t.error,
      colorBgLayout: t.bg,
      colorBgContainer: t.surface,
      colorBgElevated: t.raised,
      colorBorder: t['line-strong'],
      colorBorderSecondary: t.line,
      colorText: t.text,
      colorTextSecondary: t['text-2'],
      colorTextTertiary: t['text-3'],
      colorTextDescription: dark ? 'rgba(255, 255, 255, 0.65)' : 'rgba(0, 0, 0, 0.62)',
      colorTextPlaceholder: t.placeholder,
      borderRadius: 6,
      borderRadiusLG: 8,
      fontFamily: FONT,
      fontFamilyCode: MONO,
      fontSize: 14,
      controlHeight: 32,
      motion: !still,
      motionDurationFast: '0.12s',
      motionDurationMid: '0.16s',
      motionDurationSlow: '0.2s',
      boxShadow: t.shadow,
      boxShadowSecondary: t.shadow,
    },
    components: {
      Menu: { itemSelectedColor: dark ? link : primary, itemBorderRadius: 6 },
      Table: {
        headerBg: t.head,
        headerColor: t.text,
        headerSplitColor: 'transparent',
        rowHoverBg: dark ? 'rgba(255, 255, 255, 0.03)' : 'rgba(0, 0, 0, 0.02)',
      },
      Button: { primaryShadow: 'none', defaultShadow: 'none', dangerShadow: 'none' },
      Card: { boxShadowTertiary: 'none' },
      Tabs: { itemSelectedColor: dark ? link : primary, inkBarColor: dark ? link : primary },
      Typography: { titleMarginBottom: 0, titleMarginTop: 0 },
    },
  }
}
