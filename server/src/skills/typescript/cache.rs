pub struct Cache;
