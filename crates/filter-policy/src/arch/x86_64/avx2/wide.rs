//! The filters that take 64-bit hash values. Keys are hashed one by one: lanes have no products of 128 bits, and four of
//! them would not be faster.

mod lines;
mod spread;
