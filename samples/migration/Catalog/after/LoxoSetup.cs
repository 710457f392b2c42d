using System.Runtime.CompilerServices;
using Loxo;

namespace Catalog;

internal static class LoxoSetup
{
    // Dapper knows drivers that take arrays by the name of their connection class.
    [ModuleInitializer]
    public static void Register() => LoxoDapper.Register();
}
