// Made of locales/zh.json and locales/en.json when the package is made.
module.exports = { zh: {}, en: {} }
