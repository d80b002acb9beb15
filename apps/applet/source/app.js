const { enterPortal } = require('./lib/portal.js')
const { showTabs } = require('./lib/texts.js')

App({
  onLaunch() {
    enterPortal().then(showTabs, () => undefined)
  },
})
