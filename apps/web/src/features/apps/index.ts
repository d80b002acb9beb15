import type { FeaturePages } from '../../lib/feature-pages.ts'
import { withTexts } from '../../ui/with-texts.ts'

const texts = ['ui', 'schema-form', 'list-page'] as const

export const featurePages: FeaturePages = {
  pages: {
    '/apply/WebApp': withTexts(texts, async () => ({
      Component: (await import('./web-app/web-app-page.tsx')).WebAppPage,
    })),
    '/apply/WechatApp': withTexts(texts, async () => ({
      Component: (await import('./wechat/wechat-page.tsx')).WechatPage,
    })),
    '/apply/WechatApplet/info': withTexts(texts, async () => ({
      Component: (await import('./applet/info-page.tsx')).InfoPage,
    })),
    '/apply/WechatApplet/WechatAppletAuthorize': withTexts(texts, async () => ({
      Component: (await import('./applet/authorize-page.tsx')).AuthorizePage,
    })),
  },
}
