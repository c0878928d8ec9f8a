mod build;
mod container;
mod lift;
mod oracle;
mod random;
mod rules;
mod vectors;
