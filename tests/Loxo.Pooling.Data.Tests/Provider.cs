namespace Loxo.Pooling.Data.Tests;

/// <summary>Whose connections are pooled: every test of behaviour runs with each.</summary>
public enum Provider
{
    Npgsql,
    Sqlite,
}
