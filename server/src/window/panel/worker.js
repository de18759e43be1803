// The icon in the toolbar opens a panel that was closed.
chrome.sidePanel.setPanelBehavior({ openPanelOnActionClick: true });
