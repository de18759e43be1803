//! Which sites of the collection a host is: by its exact name, by the domain
//! that somebody registered, by the forms that folders are named in. A part of
//! a name is never enough: it may be another company's.

/// Endings that are distinguished from words in a name such as `booking-com`:
/// `sign-in` and `capital-one` are not hosts.
const NAME_SUFFIX_TLDS: &[&str] = &[
    "com", "org", "net", "edu", "gov", "io", "de", "fr", "nl", "pl", "cz", "ch", "jp", "cn", "kr",
    "eu", "uk", "ru", "br", "au", "ca", "mx", "es", "se", "dk", "fi",
];

/// The host that a folder stands for; none when its name is not a host.
pub fn host_of_site_name(site: &str) -> Option<String> {
    let site = site.to_ascii_lowercase();
    let host = if site.contains('.') {
        site.strip_prefix("www.").unwrap_or(&site).to_owned()
    } else if let Some((name, ending)) = site.rsplit_once('-')
        && NAME_SUFFIX_TLDS.contains(&ending)
    {
        format!("{}.{ending}", name.replace('-', "."))
    } else {
        // A bare name is a company's, and `.com` the ending that it would
        // have; all others are named by the table of hosts.
        format!("{}.com", site.replace(['_', '-'], ""))
    };
    let valid = url::Host::parse(&host).is_ok_and(|host| matches!(host, url::Host::Domain(_)));
    (valid && is_registrable(&host)).then_some(host)
}

/// Whether somebody registered `host`, or it lies below such a name. Under
/// `co.uk` or `github.io` everybody may.
fn is_registrable(host: &str) -> bool {
    psl::domain(host.as_bytes()).is_some_and(|domain| domain.suffix().is_known())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(site: &str, host: &str) -> bool {
        let below = |named: &str| host.strip_suffix(named).is_some_and(|rest| rest.ends_with('.'));
        host_of_site_name(site).is_some_and(|named| named == host || below(&named))
    }

    #[test]
    fn folders_stand_for_hosts() {
        for (site, host) in [
            ("booking-com", "booking.com"),
            ("booking-com", "secure.booking.com"),
            ("booking.com", "booking.com"),
            ("github", "github.com"),
            ("github", "gist.github.com"),
            ("GitHub", "github.com"),
            ("google-trends", "googletrends.com"),
            ("clarity-microsoft-com", "clarity.microsoft.com"),
            ("appstoreconnect.apple.com", "appstoreconnect.apple.com"),
            ("amazon-co-uk", "amazon.co.uk"),
            ("www.shop.example.com", "shop.example.com"),
        ] {
            assert!(fits(site, host), "{site} {host} {:?}", host_of_site_name(site));
        }
    }

    #[test]
    fn another_company_is_never_meant() {
        for (site, host) in [
            ("booking-com", "booking.com.evil.example"),
            ("booking-com", "notbooking.com"),
            ("booking-com", "booking.net"),
            ("github", "github.io"),
            ("github", "github.evil.com"),
            ("github", "mygithub.com"),
            ("git", "github.com"),
            ("appstoreconnect.apple.com", "apple.com"),
            ("github.io", "evil.github.io"),
            ("co.uk", "shop.co.uk"),
            ("co-uk", "shop.co.uk"),
            ("com", "shop.com"),
            ("capital-one", "capital.one"),
            ("sign-in", "sign.in"),
            ("127.0.0.1", "127.0.0.1"),
            ("localhost.local", "localhost"),
        ] {
            assert!(!fits(site, host), "{site} {host} {:?}", host_of_site_name(site));
        }
    }
}
